import { randomBytes } from 'node:crypto';
import { createClient } from '../contract/client/create-client.js';
import { unwrap } from '../contract/client/fairlead-error.js';
import { OfframpError } from '../contract/offramp/index.js';
import { encodeSecretKey } from '../contract/verification/strkey.js';
import { keepLastDemo } from './lib/files.js';
import { explainFailure, localServiceUrl, readOptions } from './lib/local-service.js';
import { offRamp, walletOf } from './simulated-wallets/off-ramp.js';

const help = `npm run demo -- [--amount 100] [--corridor usdc-ngn] [--anchor harbour] [--ending complete] [--url address]

One off-ramp from its intent to its outcome, step by step, against the service of npm start. It can end by complete,
refund, fail, recover or hold. Keeps the intent and the key of its wallet for npm run dispute.`;

const patienceMs = 10 * 60_000;

async function main(): Promise<void> {
  const { values } = readOptions(help, {
    url: { type: 'string', default: localServiceUrl() },
    corridor: { type: 'string', default: 'usdc-ngn' },
    anchor: { type: 'string', default: 'harbour' },
    amount: { type: 'string', default: '100' },
    ending: { type: 'string', default: 'complete' },
  });
  const startedAt = Date.now();
  const say = (line: string) =>
    console.log(`${((Date.now() - startedAt) / 1_000).toFixed(1).padStart(6)} s  ${line}`);
  const seed = randomBytes(32);
  const { url: serviceUrl, corridor, anchor: anchorId, amount: sellAmount, ending } = values;
  let intentHash = '';
  const { intents } = createClient(serviceUrl);
  const read = async () => unwrap(await intents.getIntent({ params: { intentHash } }));
  await offRamp({
    serviceUrl,
    corridor,
    anchorId,
    wallet: walletOf(seed),
    sellAmount,
    ending,
    async onState(state) {
      intentHash = state.intentHash;
      if (state.step === 'registered') {
        const { quote } = await read();
        const quoted = quote === null ? 'no quote at the moment' : `quoted ${quote.receiveAmount}`;
        say(
          `intent ${intentHash.slice(0, 12)}…: ${sellAmount} in ${corridor} through ${anchorId}, ${quoted}`,
        );
      }
      if (state.step === 'paid') say(`paid on the simulated ledger: ${state.payment.hash.slice(0, 12)}…`);
      if (state.step !== 'reported') return;
      await keepLastDemo({ serviceUrl, intentHash, anchorId, secretKey: encodeSecretKey(seed) });
      say('waiting for the payout: about a minute with most anchors');
    },
    signal: AbortSignal.timeout(patienceMs),
  }).catch((error: unknown) => {
    // A refund or a failure is how it ends, if that is what was asked for.
    if (!(error instanceof OfframpError) || error.moneyMoved === 'no') throw error;
    say(error.message);
  });
  const { outcome, quote } = await read();
  say(`outcome: ${outcome?.status ?? 'none yet'} (${outcome?.reason ?? 'the service waits'})`);
  if (outcome?.amountOut != null)
    console.log(
      `\n${sellAmount} sold, ${quote?.receiveAmount ?? 'nothing'} quoted, ${outcome.amountOut} paid out`,
    );
  console.log(`\nEverything that is known about it:\n\n  curl '${serviceUrl}/api/intent/${intentHash}'\n`);
  console.log('Dispute this outcome, signed with the key of its wallet:\n\n  npm run dispute\n');
}

main().catch(explainFailure);
