import { createSnapshotRouter } from './router.js';
import { createSnapshot, type SnapshotDeps } from './service.js';

/** The best quote of every corridor at its reference amount, rebuilt in the background. */
export function createSnapshotFeature(
  deps: SnapshotDeps & {
    /** Cache-Control: public instead of private. */
    publicCache: boolean;
  },
) {
  const snapshot = createSnapshot(deps);
  const router = createSnapshotRouter({ snapshot, publicCache: deps.publicCache });
  return { router, rebuild: snapshot.rebuild };
}
