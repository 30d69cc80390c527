import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Connection, mongo } from 'mongoose';
import { createLookUpStore } from '../../../server/features/intents/look-up-store.js';
import { createOwnership } from '../../../server/features/intents/ownership.js';
import { createLookUpPayments } from '../../../server/features/intents/payment-look-ups.js';
import { nothingKnown, withNamed } from '../../../server/features/intents/payment-state.rules.js';
import { createMakeProgress } from '../../../server/features/intents/progress.js';
import { createIntentStore } from '../../../server/features/intents/store.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { prepareCollections } from '../../../server/mongo/models.js';
import { createPauseBeforeTry } from '../../../server/mongo/refused-writes.js';
import { createInTransaction } from '../../../server/mongo/transactions.js';
import { pauseInRealTime } from '../../../server/timing.js';
import { emitInto } from '../../fixtures/deliveries/emit.js';
import { storedIntent } from '../../fixtures/disputes/dispute-values.js';
import { anchor, instructions, payer, stranger, usdc } from '../../fixtures/intents/payment-cases.js';
import { type OpenLedger, openLedger } from '../../fixtures/ledger/ledger-fixture.js';
import { testDatabase } from '../../support/database.js';
import { silentLogger } from '../../support/silent-logger.js';

const { uri } = testDatabase();
let connection: Connection;
let ledger: OpenLedger;

beforeAll(async () => {
  connection = await connectMongo({ uri });
  emitInto(connection, Date.now, () => randomBytes(16).toString('hex'));
  createIntentStore(connection);
  await prepareCollections(connection);
  ledger = await openLedger();
});
afterAll(async () => {
  await ledger?.close();
  await connection?.close();
});

/** The parts that look payments up, as in one process of the service. */
function process() {
  const store = createIntentStore(connection);
  const clock = ledger.now;
  const inTransaction = createInTransaction(connection);
  const ownership = createOwnership({ store, inTransaction, clock });
  const limits = { failureGraceMs: 86_400_000, ledger: true };
  const newId = () => randomBytes(16).toString('hex');
  const writeEvent = emitInto(connection, clock, newId);
  const pauseBeforeTry = createPauseBeforeTry({ pause: pauseInRealTime, random: Math.random });
  const progress = createMakeProgress({
    store,
    ownership,
    inTransaction,
    writeEvent,
    clock,
    pauseBeforeTry,
    limits,
  });
  const asked = ledger.asking({ rpc: true });
  const lookUps = createLookUpStore(connection);
  return createLookUpPayments({
    store,
    lookUps,
    ledger: asked,
    ownership,
    progress,
    clock,
    pauseBeforeTry,
    logger: silentLogger,
  });
}

/** An intent whose record named where to pay, and for which this payment is named. */
function offered(hash: string) {
  const now = ledger.now();
  const payment = { ...nothingKnown, instructions: [instructions(now)] };
  const terms = { sellAsset: usdc, buyAsset: 'iso4217:NGN', overdueAfterSeconds: 21_600 };
  const changes = {
    account: payer,
    corridorTerms: terms,
    payment: withNamed(payment, hash, 'wallet', now),
    lookUpDue: new Date(now),
  };
  return storedIntent(payer, null, { now, changes });
}

/** The outer and the inner hash of one fee bump; either finds the transaction. */
function feeBump(payments: { to: string; amount: string }[]) {
  const memo = { type: 'id', value: '186384' } as const;
  const entry = ledger.simulated.pay({ source: payer, payments, memo, feeSource: stranger });
  return [entry.hash, entry.innerHash ?? ''];
}

async function offerToThousand(hashes: string[]) {
  const store = createIntentStore(connection);
  const intents = Array.from({ length: 1_000 }, (_, place) => offered(hashes[place % hashes.length] ?? ''));
  await store.insertAll(intents);
  ledger.pass(2_000);
  const processes = [process(), process(), process()];
  await Promise.all(processes.map((lookUp) => lookUp(() => true)));
  const stored = await store.findByHashes(intents.map(({ _id }) => _id));
  return {
    paid: stored.filter(({ payment }) => payment.found !== null),
    problems: new Set(
      stored.flatMap(({ payment }) =>
        payment.found === null ? payment.named.map((each) => each.problem) : [],
      ),
    ),
  };
}

describe('one payment that is offered to 1,000 intents, by both its hashes, to three processes at once', () => {
  it('serves one of them', async () => {
    const { paid, problems } = await offerToThousand(feeBump([{ to: anchor, amount: '100' }]));
    expect(paid).toHaveLength(1);
    expect([...problems]).toEqual(['already_used']);
  });

  it('serves as many as it has operations', async () => {
    const each = { to: anchor, amount: '100' };
    const { paid } = await offerToThousand(feeBump([each, each, each]));
    expect(new Set(paid.map(({ paymentId }) => paymentId)).size).toBe(3);
    expect(paid).toHaveLength(3);
  });

  it('cannot be written twice, whoever tries', async () => {
    const collection = connection.collection('intents');
    const taken = await collection.findOne({ paymentId: { $type: 'string' } });
    const again = collection.insertOne({
      ...taken,
      _id: randomBytes(32).toString('hex') as never,
      transactionId: 'x',
    });
    await expect(again).rejects.toThrow(mongo.MongoServerError);
  });
});
