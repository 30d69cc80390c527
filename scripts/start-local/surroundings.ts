import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../server/config.js';
import { connectMongo } from '../../server/mongo/connection.js';
import { isPortTaken } from '../lib/loopback-server.js';
import { type ReferenceOracle, startReferenceOracle } from '../reference-oracle/index.js';
import { insertPastRates } from '../seed-history/past-rates.js';
import { seedHistory } from '../seed-history.js';
import { type Fleet, startSimulatedAnchors } from '../simulated-anchors/index.js';
import { type SimulatedLedger, startSimulatedLedger } from '../simulated-ledger/index.js';

export interface LocalAnchors {
  fleet: Fleet;
  /** Environment variables by which the service uses them. */
  env: Record<string, string>;
  stop(): Promise<void>;
}

/** Withdrawals settle in a quarter of the time that the profiles say, because somebody is watching. */
const pace = 0.25;
const usualAnchorPorts = 7_300;
const usualOraclePort = 7_299;
const usualLedgerPort = 7_298;

/** Starts on the usual port, so that addresses noted down stay valid, or on any free port if it is taken. */
function onUsualPort<T>(usual: number, start: (port: number) => Promise<T>): Promise<T> {
  return start(usual).catch((error: unknown) => {
    if (isPortTaken(error)) return start(0);
    throw error;
  });
}

/** Starts the simulated ledger; keeps its transactions in the folder. */
export function startLocalLedger(folder: string): Promise<SimulatedLedger> {
  const stateFile = join(folder, 'simulated-ledger.json');
  return onUsualPort(usualLedgerPort, (port) => startSimulatedLedger({ clock: Date.now, port, stateFile }));
}

/** Starts the simulated anchors; keeps their withdrawals in the folder and writes their fleet file there. */
export async function startLocalAnchors(folder: string, ledger: SimulatedLedger): Promise<LocalAnchors> {
  const simulated = await onUsualPort(usualAnchorPorts, (portBase) =>
    startSimulatedAnchors({
      clock: Date.now,
      random: Math.random,
      ledger,
      portBase,
      stateFile: join(folder, 'simulated-anchors.json'),
      tickMs: 1_000,
      pace,
    }),
  );
  const fleetFile = join(folder, 'fleet.json');
  await writeFile(fleetFile, `${JSON.stringify(simulated.fleet, null, 2)}\n`);
  return {
    fleet: simulated.fleet,
    env: {
      ...simulated.env,
      FLEET_FILE: fleetFile,
      FX_URL: simulated.fxUrl,
      FX_SOURCE: 'simulated market',
      LEDGER_RPC_URL: ledger.rpcUrl,
      HORIZON_URL: ledger.horizonUrl,
      OUTBOUND_ALLOW: simulated.allow.join(','),
    },
    stop: () => simulated.stop(),
  };
}

/** Starts the reference oracle; keeps the batches it accepted in the folder. */
export function startLocalOracle(folder: string): Promise<ReferenceOracle> {
  return onUsualPort(usualOraclePort, (port) =>
    startReferenceOracle({ clock: Date.now, port, stateFile: join(folder, 'oracle.json') }),
  );
}

/**
 * Gives a new database, the one that the service uses, the simulated anchors' history, so that a first visit sees scores.
 * Resolves to whether it was new.
 */
export async function seedLocalHistory(
  { mongodbUri }: Pick<Config, 'mongodbUri'>,
  fleet: Fleet,
  say: (line: string) => void,
): Promise<boolean> {
  const connection = await connectMongo({ uri: mongodbUri });
  try {
    const written = await seedHistory({ connection, fleet, clock: Date.now, random: Math.random, pace });
    if (written > 0) say(`Generated a history of ${written} simulated off-ramps.`);
    return written > 0;
  } finally {
    await connection.close();
  }
}

/** Fills the rate history of every corridor, once the service has its first quotes. */
export async function seedLocalRates(
  { mongodbUri }: Pick<Config, 'mongodbUri'>,
  url: string,
  { corridors }: Fleet,
): Promise<void> {
  const connection = await connectMongo({ uri: mongodbUri });
  try {
    await insertPastRates(
      { url, connection },
      corridors.map(({ id }) => id),
    );
  } finally {
    await connection.close();
  }
}
