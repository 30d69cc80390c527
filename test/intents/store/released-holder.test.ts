import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Intent } from '../../../server/features/intents/intent.js';
import type { FoundPayment } from '../../../server/features/intents/payment.js';
import { reconcileLease } from '../../../server/features/intents/reconcile.js';
import type { ClientSession } from '../../../server/mongo/transactions.js';
import {
  claimantIntent,
  contestedId,
  holderIntent,
  payer,
} from '../../fixtures/intents/contested-transaction.js';
import { openIntents } from '../../fixtures/intents/intents-fixture.js';
import { insertIntents } from '../../fixtures/intents/stored-intents.js';
import {
  type AggregationFixture,
  openAggregationFixture,
} from '../../fixtures/reputation/aggregation-fixture.js';
import { testDatabase } from '../../support/database.js';

const { uri } = testDatabase();
const hour = 3_600_000;
const nowMs = Date.UTC(2026, 10, 21, 12);
const claimant = claimantIntent(nowMs);
let reputation: AggregationFixture;
let intents: ReturnType<typeof openIntents>;
let laterMs = nowMs;

beforeAll(async () => {
  reputation = await openAggregationFixture(uri);
  // No transaction is polled, so there is nothing at the anchor's address.
  const origin = 'http://127.0.0.1:1';
  const { connection } = reputation;
  intents = openIntents(connection, { origin, owner: 'test', leaseTtlMs: 60_000, clock: () => laterMs });
  await intents.leases.seed([reconcileLease]);
  await insertIntents(connection, holder, claimant);
});
afterAll(async () => {
  await intents.leases.stop();
  await intents.close();
  await reputation.close();
});

/** It failed without a verified payment, and must not be scored. */
const holder: Intent = {
  ...holderIntent(nowMs),
  status: 'failed',
  outcome: {
    kind: 'failed',
    reason: 'overdue',
    recordedAt: new Date(nowMs),
    settleSeconds: null,
    shortfallPpb: null,
    evidence: 'unverified',
  },
  scored: false,
  unscoredReason: 'seen_after_payment',
};

it('a holder that had failed unscored counts nowhere, also after its transaction passed to the payer', async () => {
  const found: FoundPayment = {
    ...{ hash: 'a'.repeat(64), by: 'wallet', operationId: '1', position: 1, kind: 'payment', ledger: 1 },
    ...{ from: payer, fromMuxedId: null, to: payer, toMuxedId: null, asset: 'any', amount: '100' },
    ...{ memo: null, closedAtMs: nowMs, lookedUpAtMs: nowMs, source: 'rpc' },
  };
  const [held, claims] = await intents.store.findByHashes([holder._id, claimant._id]).then(sorted);
  expect(await intents.ownership.passToPayer(held, claims, found)).toBe('passed');
  // A dispute that is accepted later does not make it count either.
  const accept = (session: ClientSession) =>
    intents.store.applyDisputeEffect(session, holder._id, 'counts_not_filled');
  expect(await reputation.inTransaction(accept)).toBe(true);
  await reputation.aggregator.aggregate();
  const counting = { pendingAggregation: false, counted: null, admission: null };
  expect(await intents.store.findByHash(holder._id)).toMatchObject({
    ...{ claimedId: contestedId, status: 'failed', scored: false, unscoredReason: 'seen_after_payment' },
    counting,
  });
});

it('a run reports no ending of a failed intent that has lost its transaction, and closes it', async () => {
  await reputation.stored.intents.updateOne({ _id: claimant._id }, { $set: { open: false } as never });
  laterMs += 72 * hour;
  expect(await intents.reconcile.run()).toMatchObject({ value: { looked: 0, expired: 0, failed: 0 } });
  expect(await intents.store.findByHash(holder._id)).toMatchObject({ status: 'failed', open: false });
});

function sorted(found: Intent[]): [holder: Intent, claimant: Intent] {
  const of = (hash: string) => found.find(({ _id }) => _id === hash);
  return [of(holder._id) ?? holder, of(claimant._id) ?? claimant];
}
