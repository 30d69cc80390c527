import { initServer } from '@ts-rest/express';
import { scoresContract } from '../../../contract/endpoints/reputation.js';
import { setFreshness } from '../../http/send-json.js';
import { createGetPublicScores, type ScoresDeps } from './public-scores.js';

const freshSeconds = 10;

/**
 * The public scores: the entries of the latest batch, or, where nothing is published, the cards as they are.
 * @param deps.publicCache Cache-Control: public instead of private
 */
export function createScoresFeature(deps: ScoresDeps & { publicCache: boolean }) {
  const getPublicScores = createGetPublicScores(deps);
  const router = initServer().router(scoresContract, {
    getPublicScores: async ({ query, res }) => {
      const body = await getPublicScores(query);
      setFreshness(res, { seconds: freshSeconds, public: deps.publicCache });
      return { status: 200, body };
    },
  });
  return { getPublicScores, router };
}
