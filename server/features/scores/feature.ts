import { createScoresRouter } from './router.js';
import { createScoresService, type ScoresDeps } from './service.js';

/** The public scores: the entries of the latest batch, or, where nothing is published, the cards as they are. */
export function createScoresFeature(
  deps: ScoresDeps & { /** Cache-Control: public instead of private. */ publicCache: boolean },
) {
  const service = createScoresService(deps);
  return { service, router: createScoresRouter({ service, publicCache: deps.publicCache }) };
}
