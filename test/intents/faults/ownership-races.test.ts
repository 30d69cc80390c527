import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Connection } from 'mongoose';
import { isRefused } from '../../../contract/anchor-documents/json.js';
import type { UnscoredReason } from '../../../contract/schemas/intents.js';
import { createAttach } from '../../../server/features/intents/holder/attach.js';
import { createPassing } from '../../../server/features/intents/holder/passing.js';
import type { Intent } from '../../../server/features/intents/intent.js';
import { withNamed } from '../../../server/features/intents/payment/payment-state.rules.js';
import { readRecord } from '../../../server/features/intents/record/sep-record.rules.js';
import { createIntentStore } from '../../../server/features/intents/store.js';
import { createMakeProgress } from '../../../server/features/intents/transition/progress.js';
import { createMarkStore } from '../../../server/features/reputation/day-store.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { prepareCollections } from '../../../server/mongo/models.js';
import { createInTransaction, createPauseBeforeTry } from '../../../server/mongo/transactions.js';
import { pauseInRealTime } from '../../../server/timing.js';
import { instructions } from '../../fixtures/intents/payment-cases.js';
import { insertIntents, intentDocuments } from '../../fixtures/intents/stored-intents.js';
import {
  claimantIntent,
  contestedId,
  holderIntent,
  paidOut,
  payer,
  payerIntent,
} from '../../fixtures/intents/waiting-intents.js';
import { emitInto, outboxOf } from '../../fixtures/webhooks/emit.js';
import { testDatabase } from '../../support/database.js';

const untold = {
  ...{ kind: 'withdrawal', from: null, amountInAsset: null, amountOutAsset: null, startedAtMs: null },
  ...{ refunded: false, amountIn: null, amountOut: null, unreadable: [] },
};
const { uri } = testDatabase();
let connection: Connection;
let writeEvent: ReturnType<typeof emitInto>;

beforeAll(async () => {
  connection = await connectMongo({ uri });
  writeEvent = emitInto(connection, Date.now, () => randomBytes(16).toString('hex'));
  createIntentStore(connection);
  await prepareCollections(connection);
});
afterAll(() => connection.close());
beforeEach(async () => {
  await intentDocuments(connection).deleteMany({});
  await outboxOf(connection).deleteMany({});
});

/** The parts that decide about ownership. `before` runs ahead of the first call of the store's method with that name. */
function opened(
  before: Partial<Record<'saveProgress' | 'touchHolder', () => Promise<unknown>>> = {},
  { ledger = false } = {},
) {
  const real = createIntentStore(connection);
  const once = async (name: keyof typeof before) => {
    const act = before[name];
    delete before[name];
    await act?.();
  };
  const store: typeof real = {
    ...real,
    saveProgress: async (change, session) => {
      await once('saveProgress');
      return real.saveProgress(change, session);
    },
    touchHolder: async (anchorId, transactionId) => {
      await once('touchHolder');
      return real.touchHolder(anchorId, transactionId);
    },
  };
  const inTransaction = createInTransaction(connection);
  const clock = Date.now;
  const { insert: markDays } = createMarkStore(connection);
  const passing = createPassing({ markDays, store, inTransaction, clock });
  const pauseBeforeTry = createPauseBeforeTry({ pause: pauseInRealTime, random: Math.random });
  const limits = { ledger };
  const progress = createMakeProgress({
    store,
    passing,
    inTransaction,
    writeEvent,
    markDays,
    clock,
    pauseBeforeTry,
    limits,
  });
  const { attach } = createAttach({
    waits: async () => false,
    store,
    passing,
    progress,
    clock,
    pauseBeforeTry,
    onAttached: () => undefined,
  });
  return { store, progress, attach };
}

async function find(intentHash: string): Promise<Intent> {
  const intent = await createIntentStore(connection).findByHash(intentHash);
  if (intent === null) throw new Error(`no intent ${intentHash}`);
  return intent;
}

function observation() {
  const record = readRecord({ transaction: paidOut });
  if (isRefused(record)) throw new Error(record.refused);
  return { record, observedAtMs: Date.now() };
}

/** Checks that the payer holds the transaction and has settled once, and that the former holder has no outcome. */
async function expectPayerPaidOut(unscoredReason: UnscoredReason | null): Promise<void> {
  const paid = { transactionId: contestedId, status: 'settled', unscoredReason };
  expect(await find('payer')).toMatchObject(paid);
  const lost = await find('holder');
  expect(lost).toMatchObject({ status: 'pending', claimedId: contestedId, problem: 'passed_to_another' });
  expect(lost.transactionId).toBeUndefined();
  const events = await outboxOf(connection).find().toArray();
  expect(events.map(({ event, data }) => [event, data])).toEqual([
    ['intent.settled', expect.objectContaining({ intentHash: 'payer' })],
  ]);
}

it('six reports at once pass a transaction once and record one outcome', async () => {
  await insertIntents(connection, holderIntent(Date.now()), claimantIntent(Date.now()));
  const { progress } = opened();
  await Promise.all(Array.from({ length: 6 }, () => progress('holder', { learned: observation() })));
  await expectPayerPaidOut(null);
});

it('a claim made just before the outcome of the holder is written takes the transaction with it', async () => {
  await insertIntents(connection, holderIntent(Date.now()), payerIntent(Date.now()));
  const claims = opened();
  const { progress } = opened({
    // The claim is refused, since no record has named a sender so far.
    saveProgress: async () =>
      expect(await claims.attach(await find('payer'), contestedId).catch(({ code }) => code)).toBe(
        'TRANSACTION_CONFLICT',
      ),
  });
  // The outcome is written in a transaction, and the claim comes before its first write.
  await progress('holder', { learned: observation() });
  await expectPayerPaidOut('seen_after_payment');
});

it('a claim made while the holder replaces the transaction gets it', async () => {
  const nowMs = Date.now();
  const { observations, ...unseen } = holderIntent(nowMs);
  await insertIntents(
    connection,
    { ...unseen, observations: payerIntent(nowMs).observations },
    payerIntent(nowMs),
  );
  const replaces = opened();
  const { attach } = opened({
    touchHolder: async () => replaces.attach(await find('holder'), 'instead'),
  });
  expect(await attach(await find('payer'), contestedId)).toMatchObject({ transactionId: contestedId });
  expect(await find('holder')).toMatchObject({ transactionId: 'instead' });
  expect((await find('payer')).claimedId).toBeUndefined();
});

it('two intents that present each other’s transactions at once both keep a consistent state', async () => {
  const nowMs = Date.now();
  const bare = payerIntent(nowMs);
  const a = { ...bare, _id: 'a', transactionId: 'of-a', attachedAt: new Date(nowMs) };
  const b = { ...bare, _id: 'b', transactionId: 'of-b', attachedAt: new Date(nowMs) };
  await insertIntents(connection, a, b);
  const { attach } = opened();
  await Promise.allSettled([attach(await find('a'), 'of-b'), attach(await find('b'), 'of-a')]);
  const held = [await find('a'), await find('b')].map(({ transactionId }) => transactionId);
  const ids = held.filter((id) => id !== undefined);
  expect(new Set(ids).size).toBe(ids.length);
  for (const each of [await find('a'), await find('b')]) {
    expect((each.transactionId === undefined) !== (each.claimedId === undefined)).toBe(true);
  }
});

it('what the ledger shows of a holder is not stored as a finding about the payer that the transaction passes to', async () => {
  const nowMs = Date.now();
  const hash = 'ab'.repeat(32);
  const holder = holderIntent(nowMs);
  const payment = withNamed(
    { ...holder.payment, instructions: [instructions(nowMs)] },
    hash,
    'anchor',
    nowMs,
  );
  // The claim was stored, and its process died before the transaction was passed.
  await insertIntents(
    connection,
    { ...holder, told: { ...untold, from: payer }, payment },
    claimantIntent(nowMs),
  );
  const { progress } = opened({}, { ledger: true });
  const finding = { kind: 'problem', problem: 'other_sender', contradicts: false } as const;
  const made = await progress('holder', { learned: { by: 'anchor', hash, finding } });
  expect(made).toMatchObject({ intentHash: 'payer' });
  const owner = await find('payer');
  expect(owner).toMatchObject({ transactionId: contestedId, status: 'pending' });
  expect(owner.payment.named).toMatchObject([{ hash, by: 'anchor', problem: null, looks: 0 }]);
  expect(owner.lookUpDue?.getTime()).toBeLessThanOrEqual(Date.now());
});
