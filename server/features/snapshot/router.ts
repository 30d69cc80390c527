import { initServer } from '@ts-rest/express';
import { snapshotContract } from '../../../contract/endpoints/corridors.js';
import { setFreshness } from '../../http/send-json.js';
import type { Snapshot } from './service.js';

export function createSnapshotRouter(deps: {
  snapshot: Pick<Snapshot, 'get'>;
  /** Cache-Control: public instead of private. */
  publicCache: boolean;
}) {
  return initServer().router(snapshotContract, {
    getSnapshot: async ({ res }) => {
      const { answer, freshForMs } = await deps.snapshot.get();
      setFreshness(res, {
        seconds: freshForMs / 1_000,
        countsDown: true,
        public: deps.publicCache,
      });
      return { status: 200, body: answer };
    },
  });
}
