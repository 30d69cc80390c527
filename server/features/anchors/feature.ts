import { createAnchorsRouter, createCorridorsRouter } from './router.js';
import { type AnchorDirectoryDeps, createAnchorDirectory } from './service.js';

/** The fleet: who serves which corridor, where each anchor is reached, and the endpoints that show it. */
export function createAnchorsFeature(
  deps: AnchorDirectoryDeps & {
    /** Cache-Control: public instead of private. */
    publicCache: boolean;
    /** Intents of the last 90 days whose payment the anchor made up, by the ledger; null where none is asked. */
    contradictedPayments: (anchorId: string) => Promise<number | null>;
  },
) {
  const directory = createAnchorDirectory(deps);
  const { contradictedPayments, publicCache } = deps;
  const answers = { anchors: directory, contradictedPayments, publicCache };
  return {
    routers: { anchors: createAnchorsRouter(answers), corridors: createCorridorsRouter(answers) },
    directory,
  };
}
