import { initServer } from '@ts-rest/express';
import { anchorsContract } from '../../../contract/endpoints/anchors.js';
import { corridorsContract } from '../../../contract/endpoints/corridors.js';
import { setFreshness } from '../../http/send-json.js';
import type { AnchorDirectory } from './service.js';

/** Both lists change with the fleet file, at a restart, or when an anchor changes its addresses; neither is urgent. */
const freshSeconds = 15;

interface Deps {
  anchors: Pick<AnchorDirectory, 'listAnchors' | 'getAnchor' | 'listCorridors'>;
  contradictedPayments: (anchorId: string) => Promise<number | null>;
  /** Cache-Control: public instead of private. */
  publicCache: boolean;
}

export function createAnchorsRouter({ anchors, contradictedPayments, publicCache }: Deps) {
  return initServer().router(anchorsContract, {
    listAnchors: async ({ query, res }) => {
      const body = await anchors.listAnchors(query);
      setFreshness(res, { seconds: freshSeconds, public: publicCache });
      return { status: 200, body };
    },
    getAnchor: async ({ params, res }) => {
      const anchor = await anchors.getAnchor(params.anchor);
      const body = { ...anchor, contradictedPayments: await contradictedPayments(anchor.id) };
      setFreshness(res, { seconds: freshSeconds, public: publicCache });
      return { status: 200, body };
    },
  });
}

export function createCorridorsRouter({ anchors, publicCache }: Omit<Deps, 'contradictedPayments'>) {
  return initServer().router(corridorsContract, {
    listCorridors: async ({ query, res }) => {
      const body = anchors.listCorridors(query);
      setFreshness(res, { seconds: freshSeconds, public: publicCache });
      return { status: 200, body };
    },
  });
}
