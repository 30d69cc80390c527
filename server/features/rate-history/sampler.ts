import type { RatesAnswer } from '../../../contract/schemas/rates.js';
import { ApiError } from '../../errors.js';
import type { Clock } from '../../ports.js';
import { slotMs, startOf, toSample } from './sample.rules.js';
import type { RateSampleStore } from './store.js';

export interface SamplerDeps {
  store: Pick<RateSampleStore, 'insert'>;
  corridors: () => readonly { id: string }[];
  /** The answer of GET /api/rates/{corridor} at the reference amount. */
  quote: (corridor: string, query: object, options: { maxAgeMs: number }) => Promise<{ answer: RatesAnswer }>;
  clock: Clock;
}

/** If quotes are older than this, the anchors are asked again and the sampler waits for them. */
const maxAgeMs = 15_000;

/**
 * Takes a sample of every corridor that has none in the current slot, as soon as its answer is fresh and holds a quote. If
 * that does not happen before the slot ends, the history has a gap. Every instance does so, and the first sample of a slot
 * counts. Returns for how many corridors there is one more now.
 */
export function createSampler({ store, corridors, quote, clock }: SamplerDeps): () => Promise<number> {
  let slot = 0;
  /** The corridors that need no further sample in this slot. */
  const sampled = new Set<string>();

  async function answerOf(corridor: string): Promise<RatesAnswer | undefined> {
    try {
      return (await quote(corridor, {}, { maxAgeMs })).answer;
    } catch (error) {
      // No anchor has a quote.
      if (error instanceof ApiError) return undefined;
      throw error;
    }
  }

  return async () => {
    if (clock() - slot >= slotMs || clock() < slot) {
      slot = startOf('15m', clock());
      sampled.clear();
    }
    const before = sampled.size;
    for (const { id } of corridors().filter((corridor) => !sampled.has(corridor.id))) {
      const answer = await answerOf(id);
      if (answer === undefined || answer.stale || answer.quotes.length === 0) continue;
      // Its time is that of the answer, so that nothing in it is more recent.
      await store.insert([toSample(new Date(clock()), answer)]);
      sampled.add(id);
    }
    return sampled.size - before;
  };
}
