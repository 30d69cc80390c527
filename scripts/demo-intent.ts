/**
 * `npm run demo`: one off-ramp from intent to outcome, step by step, against the service of `npm start`. Other
 * ways it can end: `npm run demo -- --ending refund` (or fail, recover, hold); another place: `--url`, `--anchor`.
 * Keeps the intent and the key of its wallet for `npm run dispute`.
 */
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { encodeSecretKey } from '../contract/verification/strkey.js';
import { keepLastDemo } from './lib/last-demo.js';
import { explainFailure, localServiceUrl } from './lib/local-service.js';
import { walletOf } from './simulated-wallets/ledger-payment.js';
import { beginOffRamp, untilOutcome } from './simulated-wallets/off-ramp.js';

const patienceMs = 10 * 60_000;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      url: { type: 'string', default: localServiceUrl() },
      corridor: { type: 'string', default: 'usdc-ngn' },
      anchor: { type: 'string', default: 'harbour' },
      amount: { type: 'string', default: '100' },
      ending: { type: 'string', default: 'complete' },
    },
  });
  const startedAt = Date.now();
  const wallet = walletOf(randomBytes(32));
  const offRamp = {
    serviceUrl: values.url,
    corridor: values.corridor,
    anchorId: values.anchor,
    wallet,
    sellAmount: values.amount,
    ending: values.ending,
    say: (line: string) =>
      console.log(`${((Date.now() - startedAt) / 1_000).toFixed(1).padStart(6)} s  ${line}`),
    signal: AbortSignal.timeout(patienceMs),
  };
  const { intent } = await beginOffRamp(offRamp);
  const { intentHash } = intent;
  await keepLastDemo({
    serviceUrl: values.url,
    intentHash,
    anchorId: intent.anchorId,
    secretKey: encodeSecretKey(wallet.seed),
  });
  offRamp.say('waiting for the payout: about a minute with most anchors');
  const { outcome, sellAmount, quote } = await untilOutcome(offRamp, intentHash);
  offRamp.say(`outcome: ${outcome?.status} (${outcome?.reason})`);
  if (outcome?.amountOut != null)
    console.log(
      `\n${sellAmount} sold, ${quote?.receiveAmount ?? 'nothing'} quoted, ${outcome.amountOut} paid out`,
    );
  console.log(`\nEverything that is known about it:\n\n  curl '${values.url}/api/intent/${intentHash}'\n`);
  console.log('Dispute this outcome, signed with the key of its wallet:\n\n  npm run dispute\n');
}

main().catch(explainFailure);
