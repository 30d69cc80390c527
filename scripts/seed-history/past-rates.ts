import type { Connection } from 'mongoose';
import type { RatesAnswer } from '../../contract/schemas/rates.js';
import { grainOf, slotMs, toSample } from '../../server/features/rate-history/sample.rules.js';
import { createRateSampleStore } from '../../server/features/rate-history/store.js';
import { createInTransaction } from '../../server/mongo/transactions.js';
import { toInstant } from '../../server/ports.js';

const dayMs = 86_400_000;

/**
 * Stores a rate history for corridors of simulated anchors: samples every 15 minutes for the last day, then one per day
 * for 89 days, each the current answer scaled by `driftedTo`. A corridor in which nobody quotes now gets none.
 */
export async function insertPastRates(
  service: { url: string; connection: Connection },
  corridors: readonly string[],
): Promise<void> {
  const store = createRateSampleStore(service.connection);
  const inTransaction = createInTransaction(service.connection);
  const now = Date.now();
  const currentSlot = now - (now % slotMs);
  const days = Array.from({ length: 89 }, (_, day) => currentSlot - (90 - day) * dayMs);
  const slots = Array.from({ length: 96 }, (_, slot) => currentSlot - (96 - slot) * slotMs);
  for (const corridor of corridors) {
    const response = await fetch(`${service.url}/api/rates/${corridor}`);
    if (!response.ok) continue;
    const answer = (await response.json()) as RatesAnswer;
    await inTransaction(async (session) => {
      let previous: number | null = null;
      for (const at of [...days, ...slots]) {
        const grain = grainOf(at, previous);
        if (grain === undefined) throw new Error(`the slot of ${toInstant(at)} is taken`);
        await store.insert(session, toSample(new Date(at), driftedTo(answer, at)), grain);
        previous = at;
      }
    });
  }
}

/** Scales the answer by at most one percent: two added sine waves with periods of about 3 and 63 days. */
function driftedTo(answer: RatesAnswer, at: number): RatesAnswer {
  const factor = 1 + 0.004 * Math.sin(at / (dayMs / 2)) + 0.006 * Math.sin(at / (10 * dayMs));
  const asOf = toInstant(at - 1_000);
  const quotes = answer.quotes.map((quote) => ({
    ...quote,
    receiveAmount: (Number(quote.receiveAmount) * factor).toFixed(2),
    rate: (Number(quote.rate) * factor).toFixed(4),
    quotedAt: asOf,
  }));
  return { ...answer, asOf, stale: false, quotes };
}
