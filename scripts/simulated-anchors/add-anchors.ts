import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StartedParts } from '../lib/started-parts.js';
import { startSimulatedLedger } from '../simulated-ledger/index.js';
import { type SimulatedAnchorsOptions, startSimulatedAnchors } from './index.js';

interface Options extends Omit<SimulatedAnchorsOptions, 'clock' | 'ledger'> {
  folder: string;
  ledgerPort?: number;
}

/**
 * Starts the simulated ledger and the simulated anchors, and writes their fleet file into the folder. `env`: the variables
 * by which a service uses them.
 */
export async function addAnchors(parts: StartedParts, { folder, ledgerPort = 0, ...options }: Options) {
  const clock = Date.now;
  const ledger = await parts.add('the simulated ledger', startSimulatedLedger({ clock, port: ledgerPort }));
  const starting = startSimulatedAnchors({ ...options, clock, ledger });
  const anchors = await parts.add('the simulated anchors', starting);
  const FLEET_FILE = join(folder, 'fleet.json');
  await writeFile(FLEET_FILE, `${JSON.stringify(anchors.fleet, null, 2)}\n`);
  const env: Record<string, string> = {
    ...anchors.env,
    FLEET_FILE,
    FX_URL: anchors.fxUrl,
    FX_SOURCE: 'simulated market',
    LEDGER_RPC_URL: ledger.rpcUrl,
    HORIZON_URL: ledger.horizonUrl,
    OUTBOUND_ALLOW: anchors.allow.join(','),
  };
  return { ledger, anchors, env };
}
