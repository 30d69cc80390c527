import { createAnchorsRouter, createCorridorsRouter } from './router.js';
import { type AnchorDirectoryDeps, createAnchorDirectory } from './service.js';

/** The fleet: who serves which corridor, where each anchor is reached, and the endpoints that show it. */
export function createAnchorsFeature(
  deps: AnchorDirectoryDeps & {
    /** Cache-Control: public instead of private. */
    publicCache: boolean;
  },
) {
  const directory = createAnchorDirectory(deps);
  const answers = { anchors: directory, publicCache: deps.publicCache };
  return {
    routers: { anchors: createAnchorsRouter(answers), corridors: createCorridorsRouter(answers) },
    directory,
  };
}
