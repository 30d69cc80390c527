import { parseArgs } from 'node:util';
import { runUntilSignal } from '../lib/run-until-signal.js';
import { startReferenceOracle } from './index.js';

/**
 * tsx scripts/reference-oracle/main.ts [--port 7400] [--state-file oracle.jsonl] [--key G… …]
 * Runs the reference oracle until Ctrl-C and prints what the service needs to use it.
 */
async function main() {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '7400' },
      'state-file': { type: 'string' },
      key: { type: 'string', multiple: true },
    },
  });
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error('--port must be a port');
  const stateFile = values['state-file'];
  const oracle = await startReferenceOracle({
    clock: Date.now,
    port,
    ...(stateFile === undefined ? {} : { stateFile }),
    ...(values.key === undefined ? {} : { keys: values.key }),
  });
  console.log(`ORACLE_URL=${oracle.url}\nIts receipts are signed by ${oracle.publicKey}`);
  return oracle;
}

runUntilSignal(main);
