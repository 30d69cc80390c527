import type { Connection } from 'mongoose';
import type { RatesAnswer } from '../contract/schemas/rates.js';
import { createIntentStore } from '../server/features/intents/store.js';
import { createObservationStore, type ObservationStore } from '../server/features/observations/store.js';
import { slotMs, toSample } from '../server/features/rate-history/sample.rules.js';
import { createRateSampleStore } from '../server/features/rate-history/store.js';
import { createCardStore } from '../server/features/reputation/card-store.js';
import { createRollupStore } from '../server/features/reputation/day-store.js';
import { prepareCollections } from '../server/mongo/models.js';
import { createInTransaction } from '../server/mongo/transactions.js';
import { type Clock, type Random, toInstant } from '../server/ports.js';
import { countHistory } from './lib/count-history.js';
import { pastIntents } from './seed-history/past-intents.js';
import { pastObservation } from './seed-history/past-observations.js';
import { currencyOf } from './simulated-anchors/context.js';
import type { Fleet } from './simulated-anchors/index.js';
import { marketRate } from './simulated-anchors/pricing.js';
import { anchorDefinitions } from './simulated-anchors/profiles.js';

/**
 * A history for a simulated fleet, so that a first visit finds scores and not an empty page. start-local.ts calls it
 * before the service starts. None of it happened, and every anchor in it is marked as simulated.
 */

export interface SeedHistoryOptions {
  connection: Connection;
  fleet: Pick<Fleet, 'corridors' | 'anchors'>;
  clock: Clock;
  random: Random;
  /** A factor for settle times, as for the simulated anchors. */
  pace?: number;
}

const chunk = 1_000;
/** The history's payments are shown as if the simulated ledger had verified them. */
const evidence = 'ledger';

/**
 * Writes some 90 days of intents and their roll-ups, which a service would count one after another. Does nothing for a database that
 * has an intent already. Resolves to how many intents it wrote.
 */
export async function seedHistory(options: SeedHistoryOptions): Promise<number> {
  const { connection } = options;
  const intents = createIntentStore(connection);
  const rollups = createRollupStore(connection);
  const cards = createCardStore(connection);
  const observations = createObservationStore(connection);
  await prepareCollections(connection);
  if (!(await intents.isEmpty())) return 0;

  const past = pastIntents({ ...options, pace: options.pace ?? 1 });
  for (let from = 0; from < past.length; from += chunk)
    await intents.insertAll(past.slice(from, from + chunk));
  await rollups.insertAll(countHistory(past, evidence));
  const inTransaction = createInTransaction(connection);
  await inTransaction((session) => cards.changeState(session, { evidence }));
  await observePast(options, observations);
  return past.length;
}

const dayMs = 86_400_000;
const hourMs = dayMs / 24;
const roundsAtOnce = 10;
/** How many hours ago the observer made a round: every four hours for a week, every day before. */
const roundsAgo = Array.from({ length: 125 }, (_, n) => (n < 42 ? (n + 1) * 4 : (n - 34) * 24)).reverse();

/** Writes rounds of the observer for each anchor, so that the first visit finds how they have answered. */
async function observePast(
  { connection, fleet, clock, random }: SeedHistoryOptions,
  store: ObservationStore,
): Promise<void> {
  const inTransaction = createInTransaction(connection);
  for (const anchor of anchorDefinitions.filter(({ id }) => fleet.anchors.some((each) => each.id === id))) {
    const rounds = roundsAgo.map((hours) => pastObservation(anchor, clock() - hours * hourMs, random));
    // A few at a time, so that each transaction stays within its time limit on a busy machine.
    for (let from = 0; from < rounds.length; from += roundsAtOnce)
      await inTransaction(async (session) => {
        for (const round of rounds.slice(from, from + roundsAtOnce))
          await store.keep(session, anchor.id, round);
      });
  }
}

/**
 * Stores a rate history for corridors of simulated anchors: samples every 15 minutes for a day, every hour for a week,
 * then one per day, each the current answer moved as the simulated market has moved since. A corridor in which nobody
 * quotes now gets none.
 */
export async function insertPastRates(
  service: { url: string; connection: Connection },
  corridors: readonly string[],
): Promise<void> {
  const store = createRateSampleStore(service.connection);
  const now = Date.now();
  const days = Array.from({ length: 83 }, (_, n) => now - (n + 7) * dayMs);
  const hours = Array.from({ length: 144 }, (_, n) => now - (n + 24) * hourMs);
  const slots = Array.from({ length: 96 }, (_, n) => now - (n + 1) * slotMs);
  for (const corridor of corridors) {
    const response = await fetch(`${service.url}/api/rates/${corridor}`);
    if (!response.ok) continue;
    const answer = (await response.json()) as RatesAnswer;
    const past = [...days, ...hours, ...slots].sort((a, b) => a - b);
    await store.insert(past.map((at) => toSample(new Date(at), answerAt(answer, at))));
  }
}

/** The answer as it would have been at that time, by the simulated market. */
function answerAt(answer: RatesAnswer, at: number): RatesAnswer {
  const marketAt = (epochMs: number) => marketRate(currencyOf(answer.buyAsset), epochMs);
  const factor = marketAt(at)
    .div(marketAt(Date.parse(answer.asOf)))
    .toNumber();
  const asOf = toInstant(at - 1_000);
  const quotes = answer.quotes.map((quote) => ({
    ...quote,
    receiveAmount: (Number(quote.receiveAmount) * factor).toFixed(2),
    rate: (Number(quote.rate) * factor).toFixed(4),
    quotedAt: asOf,
  }));
  return { ...answer, asOf, stale: false, quotes };
}
