import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { runUntilSignal } from '../lib/run-until-signal.js';
import { startSimulatedAnchors } from './index.js';

/**
 * tsx scripts/simulated-anchors/main.ts [--port-base 7300] [--fleet-file fleet.json] [--state-file anchors.json]
 *   [--pace 1]
 * Runs the simulated anchors until Ctrl-C and prints what the service needs to use them.
 */
async function main() {
  const { values } = parseArgs({
    options: {
      'port-base': { type: 'string', default: '7300' },
      'fleet-file': { type: 'string' },
      'state-file': { type: 'string' },
      pace: { type: 'string', default: '1' },
    },
  });
  const portBase = Number(values['port-base']);
  const pace = Number(values.pace);
  if (!Number.isInteger(portBase) || portBase < 0 || portBase > 65_000)
    throw new Error('--port-base must be a port below 65000, or 0 for any free ones');
  if (!(pace > 0 && pace <= 100)) throw new Error('--pace must be above 0 and at most 100');

  const stateFile = values['state-file'];
  const simulated = await startSimulatedAnchors({
    clock: Date.now,
    random: Math.random,
    portBase,
    pace,
    tickMs: 1_000,
    ...(stateFile === undefined ? {} : { stateFile }),
  });
  for (const { id, origin } of simulated.anchors) console.log(`${id.padEnd(12)} ${origin}`);
  console.log(`\nFX_URL=${simulated.fxUrl}\nOUTBOUND_ALLOW=${simulated.allow.join(',')}`);
  for (const [name, value] of Object.entries(simulated.env)) console.log(`${name}=${value}`);

  const file = values['fleet-file'];
  if (file !== undefined) {
    await writeFile(file, `${JSON.stringify(simulated.fleet, null, 2)}\n`);
    console.log(`FLEET_FILE=${file}`);
  }
  return simulated;
}

runUntilSignal(main);
