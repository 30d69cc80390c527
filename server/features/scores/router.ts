import { initServer } from '@ts-rest/express';
import { scoresContract } from '../../../contract/endpoints/reputation.js';
import { setFreshness } from '../../http/send-json.js';
import type { ScoresService } from './service.js';

const freshSeconds = 10;

interface Deps {
  service: ScoresService;
  /** Cache-Control: public instead of private. */
  publicCache: boolean;
}

export function createScoresRouter({ service, publicCache }: Deps) {
  return initServer().router(scoresContract, {
    getPublicScores: async ({ query, res }) => {
      const { limit, cursor } = query;
      const body = await service.getPublicScores({ limit, cursor });
      setFreshness(res, { seconds: freshSeconds, public: publicCache });
      return { status: 200, body };
    },
  });
}
