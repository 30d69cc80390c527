import { initServer } from '@ts-rest/express';
import { observationsContract } from '../../../contract/endpoints/observations.js';
import type { ObservationWindow } from '../../../contract/schemas/observations.js';
import { setFreshness } from '../../http/send-json.js';
import type { Observations } from './service.js';

/** Observations change with a round, every few minutes. */
const freshSeconds = 15;

interface Deps {
  observations: Observations;
  /** Cache-Control: public instead of private. */
  publicCache: boolean;
}

export function createObservationsRouter({ observations, publicCache }: Deps) {
  return initServer().router(observationsContract, {
    getObservations: async ({ params, query, res }) => {
      const body = await observations.ofAnchor(
        params.anchor,
        Number(query.window ?? '30') as ObservationWindow,
      );
      setFreshness(res, { seconds: freshSeconds, public: publicCache });
      return { status: 200, body };
    },
    observeAnchors: async () => ({ status: 200, body: await observations.observeNow() }),
  });
}
