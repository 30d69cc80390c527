import type { Clock } from '../../ports.js';
import { lookBackMs, type UnpaidEnding } from './unpaid.rules.js';
import type { UnpaidStore } from './unpaid-store.js';

/**
 * Removes the unpaid intents that were kept for `lookBackMs`, some 10,000 at most, and returns how many. Those with a
 * dispute are kept for good, and those whose payment is looked up until that is over. Stops early where `mayGoOn` is false.
 */
export type RemoveUnpaid = (mayGoOn: () => boolean) => Promise<number>;

const batchSize = 500;
const maxBatches = 20;

export function createRemoveUnpaid(deps: {
  store: Pick<UnpaidStore, 'listEnded' | 'remove' | 'keepForDispute'>;
  /** Returns the hashes among these whose intents have a dispute. */
  disputedAmong: (intentHashes: readonly string[]) => Promise<string[]>;
  /** Whether payments are looked up on the ledger. */
  asksLedger: boolean;
  clock: Clock;
}): RemoveUnpaid {
  const { store, disputedAmong, asksLedger, clock } = deps;

  return async (mayGoOn) => {
    let removed = 0;
    let batches = 0;
    for (const ending of Object.keys(lookBackMs) as UnpaidEnding[]) {
      const before = new Date(clock() - lookBackMs[ending]);
      for (let more = true; more && batches < maxBatches && mayGoOn(); batches += 1) {
        const ended = await store.listEnded(ending, before, batchSize, { asksLedger });
        more = ended.length === batchSize;
        if (ended.length === 0) break;
        // No dispute can be filed any more, so none is missed here.
        const disputed = new Set(await disputedAmong(ended));
        if (disputed.size > 0) await store.keepForDispute([...disputed]);
        const undisputed = ended.filter((intentHash) => !disputed.has(intentHash));
        removed += await store.remove(undisputed, { asksLedger });
      }
    }
    return removed;
  };
}
