import type { Formula } from '../../../contract/verification/formulas.js';
import { createCache } from '../../cache/cache.js';
import { isMongoUnavailable } from '../../mongo/failures.js';
import type { Clock } from '../../ports.js';
import { runsFreshMs } from './card-reader.js';
import type { ReputationStore } from './store.js';

/**
 * The leading formula, whose scores are returned if a request names none. It is stored in the database, so it is the same
 * on every instance; the value is at most a second old, or the last known one while the database is unavailable.
 */
export type LeadingFormula = () => Promise<Formula>;

export function createLeadingFormula(deps: {
  store: Pick<ReputationStore, 'readLeading'>;
  clock: Clock;
}): LeadingFormula {
  const leading = createCache<void, Formula>({
    async load(_question, lastKnown) {
      try {
        return await deps.store.readLeading();
      } catch (error) {
        if (lastKnown === undefined || !isMongoUnavailable(error)) throw error;
        return lastKnown;
      }
    },
    freshMs: runsFreshMs,
    clock: deps.clock,
  });
  return () => leading.get();
}
