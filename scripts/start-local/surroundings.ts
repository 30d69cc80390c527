import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import getPort from 'get-port';
import type { Connection } from 'mongoose';
import { createClient } from '../../contract/index.js';
import { connectMongo } from '../../server/mongo/connection.js';
import type { StartedParts } from '../lib/started-parts.js';
import { startReferenceOracle } from '../reference-oracle/index.js';
import { insertPastRates, seedHistory } from '../seed-history.js';
import { addAnchors } from '../simulated-anchors/add-anchors.js';
import type { Fleet, SimulatedAnchors } from '../simulated-anchors/index.js';
import { anchorDefinitions } from '../simulated-anchors/profiles.js';

/** Withdrawals settle in a quarter of the time that the profiles say, because somebody is watching. */
const pace = 0.25;
const usualPorts = { ledger: 7_298, oracle: 7_299, anchors: 7_300 };

/** The usual port, so that addresses noted down stay valid, or any free one if it is taken. */
const freeOf = async (usual: number) =>
  (await getPort({ port: usual, host: '127.0.0.1' })) === usual ? usual : 0;

/** Starts the simulated ledger and the simulated anchors. */
export const addLocalAnchors = async (parts: StartedParts, folder: string) =>
  addAnchors(parts, {
    folder,
    pace,
    random: Math.random,
    tickMs: 1_000,
    ledgerPort: await freeOf(usualPorts.ledger),
    portBase: await freeOf(usualPorts.anchors),
  });

/** Whether anchors fail as their profiles say; they do until it is called. */
export function letFail({ anchor }: SimulatedAnchors, isLet: boolean): void {
  const none = { outage: null, faults: { error500: 0, html: 0, hang: 0 } };
  for (const { id, profile } of anchorDefinitions) anchor(id).setProfile(isLet ? profile : none);
}

/** Starts the reference oracle; keeps the batches it accepted in the folder. */
export async function addOracle(parts: StartedParts, folder: string) {
  const options = { port: await freeOf(usualPorts.oracle), stateFile: join(folder, 'oracle.json') };
  return parts.add('the reference oracle', startReferenceOracle({ clock: Date.now, ...options }));
}

async function onDatabase<T>(uri: string, work: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await connectMongo({ uri });
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
}

/** Gives a new database the simulated anchors' history, so that a first visit sees scores. Resolves to whether it was new. */
export async function seedLocalHistory(
  uri: string,
  fleet: Fleet,
  say: (line: string) => void,
): Promise<boolean> {
  const options = { fleet, clock: Date.now, random: Math.random, pace };
  const written = await onDatabase(uri, (connection) => seedHistory({ ...options, connection }));
  if (written > 0) say(`Generated a history of ${written} simulated off-ramps.`);
  return written > 0;
}

/** Fills the rate history of every corridor, once the service has its first quotes. */
export async function seedLocalRates(uri: string, url: string, { corridors }: Fleet): Promise<void> {
  const ids = corridors.map(({ id }) => id);
  await onDatabase(uri, (connection) => insertPastRates({ url, connection }, ids));
}

const patienceMs = 10_000;
const pollMs = 250;

/**
 * Waits for the first scores of a new database, and drops the quotes that were made without them, so that the first
 * visitor finds them. Should they take longer, nothing is wrong: quotes show them some seconds later.
 */
export async function showFirstScores(serviceUrl: string, adminKey: string): Promise<void> {
  const client = createClient(serviceUrl, { adminKey });
  for (const deadline = Date.now() + patienceMs; Date.now() < deadline; await sleep(pollMs)) {
    const answer = await client.reputation.getLeaderboard({ query: {} });
    if (answer.status === 200 && answer.body.items.length > 0) break;
  }
  await client.adminCache.invalidateCache();
}
