import { createScoresRouter } from './router.js';
import { createScoresService, type ScoresDeps } from './service.js';

/** The public scores: the cards that reputation has computed, with the batch in which the publisher has published them. */
export function createScoresFeature(
  deps: ScoresDeps & { /** Cache-Control: public instead of private. */ publicCache: boolean },
) {
  const service = createScoresService(deps);
  return { service, router: createScoresRouter({ service, publicCache: deps.publicCache }) };
}
