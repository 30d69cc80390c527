import { randomBytes } from 'node:crypto';
import { callbackSignature } from '../../../simulated-anchors/callbacks.js';
import { simulatedKey } from '../../../simulated-anchors/identity.js';
import { alone, type EndpointCase, type EndpointCases, same } from '../cases.js';
import type { EndpointRequest } from '../client.js';
import {
  type Attached,
  anchorId,
  attached,
  beginWithdrawal,
  type CapacityWorld,
  cronHeaders,
  newTerms,
  registered,
} from '../world.js';
import { deleteWebhook, registerWebhook } from './webhooks.js';

const key = simulatedKey(`${anchorId} signing`);
const perRun = 20;
const reconcile: EndpointRequest = {
  method: 'POST',
  path: '/api/reputation/reconcile',
  headers: cronHeaders,
  expect: [200],
};
const register = (body: object, expect: number): EndpointRequest => ({
  method: 'POST',
  path: '/api/intent/offramp',
  body,
  expect: [expect],
});

/** A callback of the anchor that reports this status of the withdrawal. */
function callbackOf(
  world: CapacityWorld,
  { intentHash, transactionId, account }: Attached,
  status: string,
): EndpointRequest {
  const now = new Date().toISOString();
  const transaction = {
    id: transactionId,
    kind: 'withdrawal',
    status,
    amount_in: '100',
    amount_in_asset: 'stellar:USDC:GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN',
    amount_out: '150000.00',
    amount_out_asset: 'iso4217:NGN',
    started_at: now,
    updated_at: now,
    from: account,
    stellar_transaction_id: randomBytes(32).toString('hex'),
    ...(status === 'completed' ? { completed_at: now } : {}),
  };
  const body = JSON.stringify({ transaction });
  return {
    method: 'POST',
    path: `/api/intent/${intentHash}/status`,
    headers: { signature: callbackSignature(key, Date.now(), new URL(world.service.url).host, body) },
    body,
    expect: [200],
  };
}

const callbacks =
  (status: string): EndpointCase['prepare'] =>
  async (world, requests) =>
    (await attached(world, requests)).map((intent) => callbackOf(world, intent, status));

export const intentCases: EndpointCases = {
  createIntent: [
    {
      state: 'new',
      requests: 100,
      prepare: async (_, requests) => Array.from({ length: requests }, () => register(newTerms().body, 201)),
    },
    {
      state: 'the same again',
      requests: 50,
      prepare: async (world, requests) =>
        (await registered(world, requests)).map(({ body }) => register(body, 200)),
    },
  ],
  getIntent: [
    {
      state: 'each another intent',
      requests: 100,
      prepare: async (world, requests) =>
        (await registered(world, requests)).map(({ intentHash }) => ({
          method: 'GET',
          path: `/api/intent/${intentHash}`,
          expect: [200],
        })),
    },
  ],
  streamIntent: [
    {
      state: 'opened, first answer',
      requests: 40,
      prepare: async (world, requests) =>
        (await registered(world, requests)).map(({ intentHash }) => ({
          method: 'GET',
          path: `/api/intent/${intentHash}/stream`,
          expect: [200],
          isStream: true,
        })),
    },
  ],
  attachTransaction: [
    {
      state: 'a withdrawal',
      requests: 60,
      async prepare(world, requests) {
        const prepared: EndpointRequest[] = [];
        for (const { intentHash, nonce, account } of await registered(world, requests)) {
          const anchorTransactionId = await beginWithdrawal(world, account);
          const body = { nonce, anchorTransactionId };
          prepared.push({
            method: 'POST',
            path: `/api/intent/${intentHash}/transaction`,
            body,
            expect: [200],
          });
        }
        return prepared;
      },
    },
  ],
  reportIntentStatus: [
    { state: 'a step', requests: 40, prepare: callbacks('pending_external') },
    { state: 'the outcome', requests: 40, prepare: callbacks('completed') },
    {
      state: 'the outcome, sent to one webhook',
      requests: 40,
      async prepare(world, requests) {
        await registerWebhook(world);
        return callbacks('completed')(world, requests);
      },
      after: deleteWebhook,
    },
  ],
  reconcile: [
    {
      state: `${perRun} looks due`,
      requests: 3,
      async prepare({ connection }, requests) {
        // The reconciliation must not process the intents of the earlier cases as well.
        const later = new Date(Date.now() + 3_600_000);
        await connection.collection('intents').updateMany({ open: true }, { $set: { due: later } });
        return Array.from({ length: requests }, () => reconcile);
      },
      beforeEach: (world) => attached(world, perRun),
    },
    {
      state: 'nothing due',
      requests: 10,
      prepare: same(reconcile),
      beforeEach: alone,
    },
  ],
};
