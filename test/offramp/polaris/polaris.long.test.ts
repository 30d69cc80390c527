import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createClient } from '../../../contract/client/create-client.js';
import { type OfframpOptions, startOfframp } from '../../../contract/offramp/index.js';
import type { IntentAnswer } from '../../../contract/schemas/intents.js';
import type { RatesAnswer } from '../../../contract/schemas/rates.js';
import { freePort } from '../../../scripts/lib/loopback-server.js';
import { type SimulatedAnchors, startSimulatedAnchors } from '../../../scripts/simulated-anchors/index.js';
import { type SimulatedLedger, startSimulatedLedger } from '../../../scripts/simulated-ledger/index.js';
import { simulatedNetwork, usdc, usdcIssuer } from '../../../scripts/simulated-ledger/payments.js';
import { walletOf } from '../../../scripts/simulated-wallets/off-ramp.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { testDatabase } from '../../support/database.js';
import { waitFor } from '../../support/wait-for.js';
import { completeForm, installPolaris, type PolarisAnchor, signIn, startPolaris } from './polaris-anchor.js';

const database = testDatabase();
const python = await installPolaris();
/** The account whose token the operator has: Polaris shows each account its own withdrawals, and prices to none without. */
const operator = walletOf(randomBytes(32));
const quote = { corridor: 'usdc-usd', anchorId: 'polaris', sellAmount: '100' };
let ledger: SimulatedLedger;
let anchors: SimulatedAnchors;
let polaris: PolarisAnchor;
let token: string;
let app: TestApp;

beforeAll(async () => {
  if (python === undefined) throw new Error('no python3 with venv, or no registry of Python packages');
  ledger = await startSimulatedLedger({ clock: Date.now });
  const of = { horizonUrl: ledger.horizonUrl, networkPassphrase: simulatedNetwork, issuer: usdcIssuer };
  polaris = await startPolaris(python, of);
  anchors = await startSimulatedAnchors({ clock: Date.now, random: () => 0.5, anchors: [] });
  const port = String(await freePort());
  token = await signIn(polaris.origin, operator);
  const own = { PORT: port, PUBLIC_URL: `http://127.0.0.1:${port}`, SCHEDULER: 'on', POLARIS_TOKEN: token };
  app = await startTestApp({
    uri: database.uri,
    simulated: anchors,
    allow: [polaris.origin],
    env: { ...own, LEDGER_RPC_URL: ledger.rpcUrl, HORIZON_URL: ledger.horizonUrl },
    fleet: () => fleetOf(polaris.origin),
  });
  // A newly started Django may answer after the service's time limit; the service then retries.
  await waitFor(
    async () => {
      const answer = await fetch(`${app.url}/api/anchors/polaris`);
      expect(await answer.json()).toMatchObject({ endpoints: { transferServerSep24: expect.any(String) } });
    },
    { timeout: 120_000, interval: 2_000 },
  );
}, 360_000);
afterAll(async () => {
  await app?.close();
  polaris?.stop();
  await anchors?.stop();
  await ledger?.stop();
});

function fleetOf(homeDomain: string) {
  const amounts = { referenceAmount: '100', min: '10', max: '10000' };
  const times = { speedTargetSeconds: 600, overdueAfterSeconds: 21_600 };
  const terms = { sellAsset: usdc, ...amounts, ...times };
  const corridors = ['usd', 'ngn'].map((fiat) => ({
    ...terms,
    id: `usdc-${fiat}`,
    buyAsset: `iso4217:${fiat.toUpperCase()}`,
  }));
  const served = corridors.map(({ id }) => ({ id, deliveryMethods: ['bank_account'] }));
  const partnerToken = { env: 'POLARIS_TOKEN', origin: homeDomain };
  return {
    corridors,
    anchors: [{ id: 'polaris', name: 'Polaris', homeDomain, partnerToken, corridors: served }],
  };
}

function options(amount: string): OfframpOptions {
  return {
    service: createClient(app.url),
    rpcUrl: ledger.rpcUrl,
    networkPassphrase: simulatedNetwork,
    pollMs: 500,
    open: (url) => completeForm(url, amount),
    signal: AbortSignal.timeout(90_000),
  };
}

const paymentsTo = (account: string, from: string) =>
  ledger.paymentsAfter(0).filter((payment) => payment.from === from && payment.to === account);

describe('an off-ramp through a Polaris anchor', () => {
  it('goes from the quote to the payout: SEP-1, SEP-10, SEP-24, signed callbacks, paid once, verified on the ledger, scored', async () => {
    const wallet = walletOf(randomBytes(32));
    const { intent, amountOut } = await startOfframp(quote, wallet, options('100')).catch((error) => {
      throw new Error(`${error.message}\n${polaris.log()}`, { cause: error });
    });
    expect(intent).toMatchObject({
      status: 'settled',
      transaction: { status: 'completed', problem: null },
      payment: { found: { from: wallet.account, amount: '100', memoType: 'hash' } },
      outcome: { reason: 'completed', evidence: 'ledger', scored: true },
    });
    expect(amountOut).toBe('99.00');
    const paid = paymentsTo(polaris.distributionAccount, wallet.account);
    expect(paid.map(({ amount }) => amount)).toEqual(['100.0000000']);
  }, 120_000);

  it('is not paid where the person asked for more in the form than was quoted', async () => {
    const wallet = walletOf(randomBytes(32));
    const stopped = startOfframp(quote, wallet, options('150'));
    const told = { code: 'payment_refused', detail: 'amount_above_quote', moneyMoved: 'no' };
    await expect(stopped).rejects.toMatchObject(told);
  }, 120_000);
});

/** A call that the wallet makes to the anchor itself. */
async function callPolaris<T>(path: string, query: Record<string, string>, body?: object): Promise<T> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const sent = body === undefined ? { headers } : { headers, method: 'POST', body: JSON.stringify(body) };
  const answer = await fetch(`${polaris.origin}/${path}?${new URLSearchParams(query)}`, sent);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}\n${polaris.log()}`);
  return JSON.parse(text) as T;
}

async function readIntent(intentHash: string): Promise<IntentAnswer> {
  return (await app.client.request<IntentAnswer>('GET', `/api/intent/${intentHash}`)).body;
}

describe('a SEP-6 withdrawal from a Polaris anchor', () => {
  it('goes from the SEP-38 price to the payout: polled by the token of the operator, whose account pays, and scored', async () => {
    const { body: rates } = await app.client.request<RatesAnswer>('GET', '/api/rates/usdc-ngn?amount=100');
    expect(rates).toMatchObject({
      quotes: [{ anchorId: 'polaris', tier: 'anchor', receiveAmount: '152858.45', fee: null }],
      unavailable: [],
    });
    const pair = { sell_asset: usdc, buy_asset: 'iso4217:NGN' };
    const firm = { ...pair, sell_amount: '100', buy_delivery_method: 'bank_account', context: 'sep6' };
    const { id: quoteId } = await callPolaris<{ id: string }>('sep38/quote', {}, firm);
    const nonce = randomBytes(16).toString('hex');
    const terms = {
      corridor: 'usdc-ngn',
      anchorId: 'polaris',
      account: operator.account,
      sellAmount: '100',
    };
    const registered = await app.client.request<IntentAnswer>('POST', '/api/intent/offramp', {
      body: { ...terms, minReceive: '152858.45', nonce },
    });
    expect(registered.status).toBe(201);
    const { intentHash, statusCallbackUrl } = registered.body;
    const { id, account_id, memo } = await callPolaris<{ id: string; account_id: string; memo: string }>(
      'sep6/withdraw-exchange',
      {
        source_asset: usdc,
        destination_asset: 'iso4217:NGN',
        amount: '100',
        quote_id: quoteId,
        type: 'bank_account',
        dest: '0123456789',
        on_change_callback: statusCallbackUrl,
      },
    );
    const body = { anchorTransactionId: id, nonce };
    await app.client.request('POST', `/api/intent/${intentHash}/transaction`, { body });
    const patience = { timeout: 60_000, interval: 500 };
    await waitFor(async () => {
      const { transaction } = await readIntent(intentHash);
      expect(transaction).toMatchObject({ status: 'pending_user_transfer_start', problem: null });
    }, patience);
    ledger.pay({
      source: operator.account,
      payments: [{ to: account_id, amount: '100' }],
      memo: { type: 'hash', value: memo },
    });
    await waitFor(async () => {
      expect(await readIntent(intentHash)).toMatchObject({
        status: 'settled',
        transaction: { status: 'completed', problem: null },
        payment: { found: { from: operator.account, amount: '100', memoType: 'hash' } },
        outcome: { reason: 'completed', amountOut: '152858.45', evidence: 'ledger', scored: true },
      });
    }, patience);
  }, 180_000);
});
