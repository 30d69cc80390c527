import type { ServerResponse } from 'node:http';
import { afterAll, beforeEach, expect, it } from '@jest/globals';
import { isRefused } from '../../../contract/anchor-documents/json.js';
import type { UnscoredReason } from '../../../contract/schemas/intents.js';
import { listenOnLoopback } from '../../../scripts/lib/loopback-server.js';
import { attachment } from '../../../server/features/intents/holder/ownership.rules.js';
import type { Intent } from '../../../server/features/intents/intent.js';
import { reconcileLease } from '../../../server/features/intents/polls/reconcile.js';
import { readRecord } from '../../../server/features/intents/record/sep-record.rules.js';
import { createIntentStore, type IntentStore } from '../../../server/features/intents/store.js';
import { prepareCollections } from '../../../server/mongo/models.js';
import { openIntents } from '../../fixtures/intents/intents-fixture.js';
import { insertIntents, intentDocuments } from '../../fixtures/intents/stored-intents.js';
import {
  claimantIntent,
  contestedId,
  holderIntent,
  paidOut,
  payerIntent,
} from '../../fixtures/intents/waiting-intents.js';
import { outboxOf } from '../../fixtures/webhooks/emit.js';
import { testConnection } from '../../support/database.js';

const connection = await testConnection();
/** Called with each poll, which is answered by what it does to the response. */
let onPoll: (id: string, response: ServerResponse) => Promise<void>;

const { leases } = openIntents(connection);
await prepareCollections(connection);
await leases.seed([reconcileLease]);
const anchor = await listenOnLoopback((request, response) => {
  const id = new URL(request.url ?? '', 'http://anchor').searchParams.get('id') ?? '';
  void onPoll(id, response);
});
afterAll(() => anchor.stop());
beforeEach(async () => {
  await intentDocuments(connection).deleteMany({});
  await outboxOf(connection).deleteMany({});
});

/** The parts that follow intents. `before` runs ahead of the first call of the store's method with that name. */
function opened(before: Partial<Record<'saveProgress' | 'touchHolder', () => Promise<unknown>>> = {}) {
  const after =
    <Args extends unknown[], T>(name: keyof typeof before, call: (...args: Args) => Promise<T>) =>
    async (...args: Args) => {
      const act = before[name];
      delete before[name];
      await act?.();
      return call(...args);
    };
  const storeOf = (real: IntentStore): IntentStore => ({
    ...real,
    saveProgress: after('saveProgress', real.saveProgress),
    touchHolder: after('touchHolder', real.touchHolder),
  });
  return openIntents(connection, { storeOf, origin: anchor.origin });
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
    saveProgress: async () => {
      const claimed = claims.attach(await find('payer'), contestedId);
      await expect(claimed).rejects.toMatchObject({ code: 'TRANSACTION_CONFLICT' });
    },
  });
  // The outcome is written in a transaction, and the claim comes before its first write.
  await progress('holder', { learned: observation() });
  await expectPayerPaidOut('seen_after_payment');
});

it('a claim made while the holder replaces the transaction gets it', async () => {
  const nowMs = Date.now();
  const unseen = { ...holderIntent(nowMs), observations: payerIntent(nowMs).observations };
  await insertIntents(connection, unseen, payerIntent(nowMs));
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

const old = { id: 'old', kind: 'deposit', status: 'completed', amount_out: '1' };
it.each<[string, number, object]>([
  ['that it does not know the old id', 404, {}],
  ['with a record of the old id', 200, { transaction: old }],
])(
  'an id that replaced another one during a poll is not judged by the answer %s',
  async (_name, status, told) => {
    const intents = opened();
    const bare = payerIntent(Date.now());
    const intent = attachment(bare, 'old', bare.createdAt, false);
    await insertIntents(connection, intent);
    const asked: string[] = [];
    onPoll = async (id, response) => {
      asked.push(id);
      if (id === 'new') {
        response.end(JSON.stringify({ transaction: { id, kind: 'withdrawal', status: 'pending_anchor' } }));
        return;
      }
      const after = attachment(intent, 'new', new Date(), false);
      await intents.store.saveProgress({ before: intent, after });
      response.writeHead(status).end(JSON.stringify(told));
    };
    await intents.reconcile();
    // The new id is looked for in the same run, because attaching makes the intent due at once.
    expect(asked).toEqual(['old', 'new']);
    expect(await find('payer')).toMatchObject({
      ...{ transactionId: 'new', status: 'pending', problem: null, unscoredReason: null },
      observations: { status: 'pending_anchor' },
    });
    await intents.close();
  },
);

async function find(intentHash: string): Promise<Intent> {
  const intent = await createIntentStore(connection).findByHash(intentHash);
  if (intent === null) throw new Error(`no intent ${intentHash}`);
  return intent;
}
