/**
 * `npm run demo`: one off-ramp from intent to outcome, step by step, against the service of `npm start`. Other
 * ways it can end: `npm run demo -- --ending refund` (or fail, recover, hold); another place: `--url`, `--anchor`.
 */
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { walletOf } from './simulated-wallets/ledger-payment.js';
import { beginOffRamp, untilOutcome } from './simulated-wallets/off-ramp.js';

const patienceMs = 10 * 60_000;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      url: { type: 'string', default: `http://127.0.0.1:${process.env.PORT || '8080'}` },
      corridor: { type: 'string', default: 'usdc-ngn' },
      anchor: { type: 'string', default: 'harbour' },
      amount: { type: 'string', default: '100' },
      ending: { type: 'string', default: 'complete' },
    },
  });
  const startedAt = Date.now();
  const offRamp = {
    serviceUrl: values.url,
    corridor: values.corridor,
    anchorId: values.anchor,
    wallet: walletOf(randomBytes(32)),
    sellAmount: values.amount,
    ending: values.ending,
    say: (line: string) =>
      console.log(`${((Date.now() - startedAt) / 1_000).toFixed(1).padStart(6)} s  ${line}`),
    signal: AbortSignal.timeout(patienceMs),
  };
  const { intent } = await beginOffRamp(offRamp);
  const ended = await untilOutcome(offRamp, intent.intentHash);
  offRamp.say(`outcome: ${ended.outcome?.status} (${ended.outcome?.reason})`);
  console.log(JSON.stringify(ended, null, 2));
}

main().catch((error: unknown) => {
  const down = error instanceof TypeError && error.message === 'fetch failed';
  if (down)
    console.error('The service does not answer. Is it running (npm start)? Elsewhere: --url, or PORT.');
  else console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
});
