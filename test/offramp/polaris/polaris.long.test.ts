import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { createClient } from '../../../contract/client/create-client.js';
import { type OfframpOptions, type OfframpState, startOfframp } from '../../../contract/offramp/index.js';
import { freePort } from '../../../scripts/lib/loopback-server.js';
import { usdc, usdcIssuer } from '../../../scripts/simulated-anchors/context.js';
import { type SimulatedAnchors, startSimulatedAnchors } from '../../../scripts/simulated-anchors/index.js';
import { type SimulatedLedger, startSimulatedLedger } from '../../../scripts/simulated-ledger/index.js';
import { simulatedNetwork } from '../../../scripts/simulated-ledger/payments.js';
import { walletOf } from '../../../scripts/simulated-wallets/off-ramp.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { testDatabase } from '../../support/database.js';
import { itWhere } from '../../support/it-where.js';
import { waitFor } from '../../support/wait-for.js';
import { completeForm, installPolaris, type PolarisAnchor, startPolaris } from './polaris-anchor.js';

const database = testDatabase();
const python = await installPolaris();
const itWithPolaris = itWhere(
  python !== undefined,
  'no python3 with venv, or no Python package registry: an off-ramp through django-polaris',
);
const quote = { corridor: 'usdc-usd', anchorId: 'polaris', sellAmount: '100' };
let ledger: SimulatedLedger;
let anchors: SimulatedAnchors;
let polaris: PolarisAnchor;
let app: TestApp;

beforeAll(async () => {
  if (python === undefined) return;
  ledger = await startSimulatedLedger({ clock: Date.now });
  const of = { horizonUrl: ledger.horizonUrl, networkPassphrase: simulatedNetwork, issuer: usdcIssuer };
  polaris = await startPolaris(python, of);
  anchors = await startSimulatedAnchors({ clock: Date.now, random: () => 0.5, anchors: [] });
  const port = String(await freePort());
  const own = { PORT: port, PUBLIC_URL: `http://127.0.0.1:${port}`, SCHEDULER: 'on' };
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
  const corridor = { id: 'usdc-usd', sellAsset: usdc, buyAsset: 'iso4217:USD', ...amounts, ...times };
  const served = [{ id: 'usdc-usd', deliveryMethods: ['bank_account'] }];
  const anchor = { id: 'polaris', name: 'Polaris', homeDomain, corridors: served };
  return { corridors: [corridor], anchors: [anchor] };
}

function options(states: OfframpState[]): OfframpOptions {
  return {
    service: createClient(app.url),
    rpcUrl: ledger.rpcUrl,
    networkPassphrase: simulatedNetwork,
    pollMs: 500,
    open: (url) => completeForm(url, '100'),
    onState: (state) => {
      states.push(state);
    },
    signal: AbortSignal.timeout(90_000),
  };
}

async function paymentsTo(account: string, from: string) {
  const answer = await fetch(`${ledger.horizonUrl}/accounts/${account}/payments?limit=200`);
  const page = (await answer.json()) as { _embedded: { records: { from: string; amount: string }[] } };
  return page._embedded.records.filter((record) => record.from === from);
}

describe('an off-ramp through a Polaris anchor', () => {
  itWithPolaris(
    'goes from the quote to the payout: SEP-1, SEP-10, SEP-24, signed callbacks, paid once, verified on the ledger, scored',
    async () => {
      const states: OfframpState[] = [];
      const wallet = walletOf(randomBytes(32));
      const { intent, amountOut } = await startOfframp(quote, wallet, options(states)).catch((error) => {
        throw new Error(`${error.message}\n${polaris.log()}`, { cause: error });
      });
      expect(intent).toMatchObject({
        status: 'settled',
        transaction: { status: 'completed', problem: null },
        payment: { found: { from: wallet.account, amount: '100', memoType: 'hash' } },
        outcome: { reason: 'completed', evidence: 'ledger', scored: true },
      });
      expect(amountOut).toBe('99.00');
      const paid = await paymentsTo(polaris.distributionAccount, wallet.account);
      expect(paid.map(({ amount }) => amount)).toEqual(['100.0000000']);
    },
    120_000,
  );

  itWithPolaris(
    'is not paid where the person asked for more in the form than was quoted',
    async () => {
      const wallet = walletOf(randomBytes(32));
      const greedy = { ...options([]), open: (url: string) => completeForm(url, '150') };
      const stopped = startOfframp(quote, wallet, greedy);
      const told = { code: 'payment_refused', detail: 'amount_above_quote', moneyMoved: 'no' };
      await expect(stopped).rejects.toMatchObject(told);
    },
    120_000,
  );
});
