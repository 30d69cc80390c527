import { initServer } from '@ts-rest/express';
import { reputationContract } from '../../../contract/endpoints/reputation.js';
import type { ScoreCard } from '../../../contract/schemas/score-card.js';
import { setFreshness } from '../../http/send-json.js';
import type { ReputationService } from './service.js';

/** Scores change when they are refreshed, every few minutes. */
const freshSeconds = 10;

/** @param deps.publicCache Cache-Control: public instead of private */
export function createReputationRouter(deps: { service: ReputationService; publicCache: boolean }) {
  const { service, publicCache } = deps;
  const freshness = { seconds: freshSeconds, public: publicCache };
  return initServer().router(reputationContract, {
    getLeaderboard: async ({ query, res }) => {
      const { corridor = null, limit, cursor } = query;
      const window = toWindow(query.window);
      const body = await service.getLeaderboard({ corridor, window, limit, cursor });
      setFreshness(res, freshness);
      return { status: 200, body };
    },
    refreshReputation: async () => ({ status: 200, body: await service.refreshNow() }),
    getReputation: async ({ params, query, res }) => {
      const body = await service.getReputation(params.anchor, toWindow(query.window));
      setFreshness(res, freshness);
      return { status: 200, body };
    },
    getReputationHistory: async ({ params, query, res }) => {
      const { corridor = null, limit, cursor } = query;
      const window = toWindow(query.window);
      const of = { anchorId: params.anchor, corridor, window };
      const body = await service.getHistory({ ...of, limit, cursor });
      setFreshness(res, freshness);
      return { status: 200, body };
    },
  });
}

function toWindow(text: '7' | '30' | '90' | undefined): ScoreCard['window'] {
  return text === undefined ? 30 : (Number(text) as ScoreCard['window']);
}
