import type { Connection } from 'mongoose';
import type { RatesAnswer } from '../contract/schemas/rates.js';
import { createIntentStore } from '../server/features/intents/store.js';
import { slotMs, toSample } from '../server/features/rate-history/sample.rules.js';
import { createRateSampleStore } from '../server/features/rate-history/store.js';
import { createCardStore } from '../server/features/reputation/card-store.js';
import { createRollupStore } from '../server/features/reputation/day-store.js';
import { prepareCollections } from '../server/mongo/models.js';
import { createInTransaction } from '../server/mongo/transactions.js';
import { type Clock, type Random, toInstant } from '../server/ports.js';
import { countHistory } from './lib/count-history.js';
import { pastIntents } from './seed-history/past-intents.js';
import type { Fleet } from './simulated-anchors/index.js';

/**
 * A history for a simulated fleet, so that a first visit finds scores and not an empty page. start-local.ts calls it
 * before the service starts. None of it happened, and every anchor in it is marked as simulated.
 */

export interface SeedHistoryOptions {
  connection: Connection;
  fleet: Pick<Fleet, 'simulated' | 'corridors' | 'anchors'>;
  clock: Clock;
  random: Random;
  /** A factor for settle times, as for the simulated anchors. */
  pace?: number;
}

const chunk = 1_000;
/** The history's payments are shown as if the simulated ledger had verified them. */
const evidence = 'ledger';

/**
 * Writes some 90 days of intents and their roll-ups, which a service would count one after another. Does nothing for a fleet that is not
 * simulated, nor for a database that has an intent already: once, however often it is called. Resolves to how many
 * intents it wrote.
 */
export async function seedHistory(options: SeedHistoryOptions): Promise<number> {
  const { connection, fleet } = options;
  if (fleet.simulated !== true || fleet.anchors.some(({ simulated }) => simulated !== true)) return 0;
  const intents = createIntentStore(connection);
  const rollups = createRollupStore(connection);
  const cards = createCardStore(connection);
  await prepareCollections(connection);
  if (!(await intents.isEmpty())) return 0;

  const past = pastIntents({ ...options, pace: options.pace ?? 1 });
  for (let from = 0; from < past.length; from += chunk)
    await intents.insertAll(past.slice(from, from + chunk));
  await rollups.insertAll(countHistory(past, evidence));
  const inTransaction = createInTransaction(connection);
  await inTransaction((session) => cards.changeState(session, { evidence }));
  return past.length;
}

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
  const now = Date.now();
  const currentSlot = now - (now % slotMs);
  const days = Array.from({ length: 89 }, (_, day) => currentSlot - (90 - day) * dayMs);
  const slots = Array.from({ length: 96 }, (_, slot) => currentSlot - (96 - slot) * slotMs);
  for (const corridor of corridors) {
    const response = await fetch(`${service.url}/api/rates/${corridor}`);
    if (!response.ok) continue;
    const answer = (await response.json()) as RatesAnswer;
    await store.insert([...days, ...slots].map((at) => toSample(new Date(at), driftedTo(answer, at))));
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
