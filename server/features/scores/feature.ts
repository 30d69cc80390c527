import { createScoresRouter } from './router.js';
import { createScoresService, type ScoresDeps } from './service.js';

/** The public scores: what reputation has computed, beside what the publisher has published of it. */
export function createScoresFeature(
  deps: ScoresDeps & { /** Cache-Control: public instead of private. */ publicCache: boolean },
) {
  const service = createScoresService(deps);
  return { service, router: createScoresRouter({ service, publicCache: deps.publicCache }) };
}
