import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Fleet, startSimulatedAnchors } from '../simulated-anchors/index.js';

export interface LocalAnchors {
  fleet: Fleet;
  /** What the service has to be told to use them. */
  env: Record<string, string>;
  stop(): Promise<void>;
}

/** The same ports each time, so that addresses noted down stay true. */
const usualPortBase = 7_300;

/** Withdrawals settle in a quarter of the time the tempers say: somebody is watching. */
export const pace = 0.25;

/** Starts the simulated anchors, their withdrawals kept in the folder, and writes their fleet file there. */
export async function startLocalAnchors(folder: string): Promise<LocalAnchors> {
  const start = (portBase: number) =>
    startSimulatedAnchors({
      clock: Date.now,
      random: Math.random,
      portBase,
      stateFile: join(folder, 'simulated-anchors.json'),
      tickMs: 1_000,
      pace,
    });
  const simulated = await start(usualPortBase).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return start(0);
    throw error;
  });
  const fleetFile = join(folder, 'fleet.json');
  await writeFile(fleetFile, `${JSON.stringify(simulated.fleet, null, 2)}\n`);
  return {
    fleet: simulated.fleet,
    env: {
      ...simulated.env,
      FLEET_FILE: fleetFile,
      FX_URL: simulated.fxUrl,
      OUTBOUND_ALLOW: simulated.allow.join(','),
    },
    stop: () => simulated.stop(),
  };
}
