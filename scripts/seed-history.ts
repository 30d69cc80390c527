/**
 * A history for a simulated fleet, so that a first visit finds scores and not an empty page. start-local.ts calls it
 * before the service starts. None of it happened, and every anchor in it is marked as simulated.
 */
import type { Connection } from 'mongoose';
import { createIntentStore } from '../server/features/intents/store.js';
import { createCardStore } from '../server/features/reputation/card-store.js';
import { createRollupStore } from '../server/features/reputation/day-store.js';
import { prepareCollections } from '../server/mongo/models.js';
import { createInTransaction } from '../server/mongo/transactions.js';
import type { Clock, Random } from '../server/ports.js';
import { countHistory } from './lib/count-history.js';
import { pastIntents } from './seed-history/past-intents.js';
import type { Fleet } from './simulated-anchors/fleet-file.js';

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
