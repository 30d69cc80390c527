import type { RatesAnswer } from '../../../contract/schemas/rates.js';
import { ApiError } from '../../errors.js';
import type { HeldLease, Leases } from '../../mongo/leases.js';
import { createInLeasedTransaction, type InTransaction } from '../../mongo/transactions.js';
import type { Clock } from '../../ports.js';
import { grainOf, isSample, startOf, toSample } from './sample.rules.js';
import type { RateSampleStore } from './store.js';

/** One instance samples at a time. */
export const samplerLease = 'rate-samples';

/** The result of a run. */
export interface SamplerRun {
  /** Samples that were stored. */
  taken: number;
  /** Corridors without a sample in this slot; the next run tries them again. */
  missing: string[];
}

export interface SamplerDeps {
  store: Pick<RateSampleStore, 'sampledAt' | 'lastAt' | 'insert'>;
  corridors: () => readonly { id: string }[];
  /** The answer of GET /api/rates/{corridor} at the reference amount. */
  quote: (corridor: string, query: object, options: { maxAgeMs: number }) => Promise<{ answer: RatesAnswer }>;
  leases: Pick<Leases, 'run'>;
  inTransaction: InTransaction;
  clock: Clock;
}

/** If quotes are older than this, the anchors are asked again and the sampler waits for them. */
const maxAgeMs = 15_000;
const leaseTtlMs = 30_000;

/**
 * Takes a sample of every corridor that has none in the current slot, as soon as its answer is fresh and holds a quote. If
 * that does not happen before the slot ends, the history has a gap. Call it often: it requests the lease only while a sample
 * is missing. Returns undefined if there was nothing to do or another instance holds the lease.
 */
export function createSampler(deps: SamplerDeps): () => Promise<SamplerRun | undefined> {
  const { store, corridors, clock } = deps;
  const inLeasedTransaction = createInLeasedTransaction(deps.inTransaction);
  /** The slot in which, as far as this instance knows, every corridor has its sample. */
  let completeSlot: number | undefined;

  async function run(lease: HeldLease): Promise<SamplerRun> {
    const slot = startOf('15m', clock());
    const wanted = corridors().map(({ id }) => id);
    const sampled = await store.sampledAt(slot, wanted);
    let taken = 0;
    for (const corridor of wanted.filter((id) => !sampled.has(id))) {
      lease.signal.throwIfAborted();
      if (!(await sample(lease, corridor))) continue;
      taken += 1;
      sampled.add(corridor);
    }
    const missing = wanted.filter((id) => !sampled.has(id));
    // If the slot has ended meanwhile, the next run samples the slot that follows.
    if (missing.length === 0) completeSlot = slot;
    return { taken, missing };
  }

  /** Returns whether a sample was stored. Its time is that of the answer, so that nothing in it is more recent. */
  async function sample(lease: HeldLease, corridor: string): Promise<boolean> {
    const answer = await answerOf(corridor);
    if (answer === undefined || !isSample(answer)) return false;
    const at = clock();
    return inLeasedTransaction(lease, async (session) => {
      const grain = grainOf(at, await store.lastAt(session, corridor));
      if (grain === undefined) return false;
      await store.insert(session, toSample(new Date(at), answer), grain);
      return true;
    });
  }

  async function answerOf(corridor: string): Promise<RatesAnswer | undefined> {
    try {
      return (await deps.quote(corridor, {}, { maxAgeMs })).answer;
    } catch (error) {
      // No anchor has a quote.
      if (error instanceof ApiError) return undefined;
      throw error;
    }
  }

  return async () => {
    if (completeSlot === startOf('15m', clock())) return undefined;
    const outcome = await deps.leases.run(samplerLease, leaseTtlMs, run);
    return outcome.ran ? outcome.value : undefined;
  };
}
