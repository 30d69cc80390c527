import { initServer } from '@ts-rest/express';
import type { Response } from 'express';
import { reputationContract } from '../../../contract/endpoints/reputation.js';
import type { ScoreCard } from '../../../contract/schemas/score-card.js';
import { setFreshness } from '../../http/send-json.js';
import type { PageQuery } from '../../paging.js';
import type { ReputationService } from './service.js';

/** Scores change when they are refreshed, every few minutes. */
const freshSeconds = 10;

/** @param deps.publicCache Cache-Control: public instead of private */
export function createReputationRouter(deps: { service: ReputationService; publicCache: boolean }) {
  const { service, publicCache } = deps;

  async function fresh<T>(res: Response, read: Promise<T>) {
    const body = await read;
    setFreshness(res, { seconds: freshSeconds, public: publicCache });
    return { status: 200 as const, body };
  }

  return initServer().router(reputationContract, {
    getLeaderboard: ({ query, res }) => fresh(res, service.getLeaderboard(toRanking(query))),
    refreshReputation: async () => ({ status: 200, body: await service.refreshNow() }),
    getReputation: ({ params, query, res }) =>
      fresh(res, service.getReputation(params.anchor, toWindow(query.window))),
    getReputationHistory: ({ params, query, res }) =>
      fresh(res, service.getHistory({ ...toRanking(query), anchorId: params.anchor })),
  });
}

type AskedWindow = `${ScoreCard['window']}` | undefined;

function toRanking(query: PageQuery & { corridor?: string | undefined; window?: AskedWindow }) {
  return { ...query, corridor: query.corridor ?? null, window: toWindow(query.window) };
}

function toWindow(text: AskedWindow): ScoreCard['window'] {
  return text === undefined ? 30 : (Number(text) as ScoreCard['window']);
}
