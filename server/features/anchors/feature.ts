import { initServer } from '@ts-rest/express';
import { anchorsContract } from '../../../contract/endpoints/anchors.js';
import { corridorsContract } from '../../../contract/endpoints/corridors.js';
import { freshAnswer } from '../../http/send-json.js';
import { readCursor, readLimit, toPage } from '../../paging.js';
import { toCorridorAnswer } from './anchor-answer.rules.js';
import { type AnchorDirectoryDeps, createAnchorDirectory, idPattern } from './service.js';

/** Both lists change with the fleet file, at a restart, or when an anchor changes its addresses; neither is urgent. */
const freshSeconds = 15;

/** The fleet: which anchor serves which corridor, the addresses of each anchor, and the endpoints that return them. */
export function createAnchorsFeature(
  deps: AnchorDirectoryDeps & {
    /** Cache-Control: public instead of private. */
    publicCache: boolean;
    /** Intents of the last 90 days whose payment the anchor invented, by the ledger; null if no ledger is configured. */
    contradictedPayments: (anchorId: string) => Promise<number | null>;
  },
) {
  const directory = createAnchorDirectory(deps);
  const freshness = { seconds: freshSeconds, public: deps.publicCache };

  const anchors = initServer().router(anchorsContract, {
    listAnchors: async ({ query, res }) => {
      return freshAnswer(res, freshness, await directory.listAnchors(query));
    },
    getAnchor: async ({ params, res }) => {
      const anchor = await directory.getAnchor(params.anchor);
      const body = { ...anchor, contradictedPayments: await deps.contradictedPayments(anchor.id) };
      return freshAnswer(res, freshness, body);
    },
  });
  const corridors = initServer().router(corridorsContract, {
    listCorridors: async ({ query, res }) => {
      const list = ['corridors'];
      const [afterId = ''] = readCursor(query.cursor, list, [idPattern]) ?? [];
      const limit = readLimit(query.limit);
      const shown = directory
        .corridors()
        .filter(({ id }) => id > afterId)
        .slice(0, limit + 1)
        .map((corridor) => toCorridorAnswer(corridor, directory.anchorsOf(corridor.id)));
      const page = toPage(shown, limit, list, ({ id }) => [id]);
      return freshAnswer(res, freshness, page);
    },
  });
  return { routers: { anchors, corridors }, directory };
}
