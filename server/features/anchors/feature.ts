import { createAnchorsRouter, createCorridorsRouter } from './router.js';
import { type AnchorDirectoryDeps, createAnchorDirectory } from './service.js';

/** The fleet: which anchor serves which corridor, the addresses of each anchor, and the endpoints that return them. */
export function createAnchorsFeature(
  deps: AnchorDirectoryDeps & {
    /** Cache-Control: public instead of private. */
    publicCache: boolean;
    /** Intents of the last 90 days whose payment the anchor invented, by the ledger; null if no ledger is configured. */
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
