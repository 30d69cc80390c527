import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { withDatabase } from '../../../scripts/mongod/uri.js';
import { reconcileLease } from '../../../server/features/intents/polls/reconcile.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { prepareCollections } from '../../../server/mongo/models.js';
import {
  claimantIntent,
  contestedId,
  holderIntent,
  paidOut,
} from '../../fixtures/intents/contested-transaction.js';
import { openIntents } from '../../fixtures/intents/intents-fixture.js';
import { type ReconcileProcesses, reconcileProcesses } from '../../fixtures/intents/reconcile-processes.js';
import type { Task } from '../../fixtures/intents/reconcile-worker.js';
import { insertIntents, intentDocuments } from '../../fixtures/intents/stored-intents.js';
import { emitInto, outboxOf } from '../../fixtures/webhooks/emit.js';
import { expectFor } from '../../support/expect-for.js';
import { eventually } from '../../support/worker-processes.js';

const leaseTtlMs = 600;
const atOnce = 5;

let processes: ReconcileProcesses;

beforeAll(async () => {
  processes = await reconcileProcesses(() => paidOut);
});
afterAll(() => processes.stop());

/** A database with a holder and a claimant of one transaction, whose poll is due and passes the transaction on. */
async function prepared(name: string) {
  const uri = withDatabase(processes.uri, name);
  const connection = await connectMongo({ uri });
  const intents = openIntents(connection, { origin: processes.origin, owner: 'test', leaseTtlMs });
  emitInto(connection);
  await prepareCollections(connection);
  await intents.leases.seed([reconcileLease]);
  const nowMs = Date.now();
  await insertIntents(connection, holderIntent(nowMs), claimantIntent(nowMs));
  const work = (strike: Task['strike']) =>
    processes.start({ uri, origin: processes.origin, job: 'reconcile', leaseTtlMs, beginAtMs: 0, strike });

  /** Checks that one of the two holds the transaction and the other claims it, which must always be true. */
  async function oneHolder(): Promise<void> {
    const found = await intentDocuments(connection).find().toArray();
    const holders = found.filter(({ transactionId }) => transactionId === contestedId);
    const claimants = found.filter(({ claimedId }) => claimedId === contestedId);
    expectFor(name, [holders.length, claimants.length]).toEqual([1, 1]);
    expectFor(name, holders[0]?._id).not.toBe(claimants[0]?._id);
  }

  async function endsWell(): Promise<void> {
    await eventually(async () => {
      await intentDocuments(connection).updateMany({ status: 'pending' }, { $set: { due: new Date(0) } });
      const run = await intents.reconcile();
      const settled = await intentDocuments(connection).countDocuments({ status: 'settled' });
      return run.ran && settled === 1 ? true : undefined;
    });
    await oneHolder();
    const payers = await intents.store.findByHash('payer');
    expectFor(name, payers).toMatchObject({
      transactionId: contestedId,
      status: 'settled',
      unscoredReason: null,
    });
    const lost = await intents.store.findByHash('holder');
    expectFor(name, lost).toMatchObject({ status: 'pending', problem: 'passed_to_another' });
    const events = await outboxOf(connection).find().toArray();
    expectFor(
      name,
      events.map(({ event }) => event),
    ).toEqual(['intent.settled']);
  }

  async function close(): Promise<void> {
    await connection.close();
    await intents.close();
  }

  return { work, oneHolder, endsWell, close };
}

it('a transaction has one holder, and one outcome, when a reconciliation is killed before any of its commands', async () => {
  let struck = 0;
  let unharmed = 0;
  for (let first = 1; unharmed === 0 && first < 60; first += atOnce) {
    const steps = Array.from({ length: atOnce }, (_, index) => first + index);
    const ends = await Promise.all(
      steps.map(async (step) => {
        const ready = await prepared(`passing-killed-${step}`);
        return { ready, end: await ready.work({ at: step, signal: 'SIGKILL' }).ended };
      }),
    );
    for (const { ready, end } of ends) {
      if (end.signal === 'SIGKILL') struck += 1;
      else {
        expect(end).toMatchObject({ code: 0 });
        unharmed += 1;
      }
      await ready.oneHolder();
      await ready.endsWell();
      await ready.close();
    }
  }
  expect(unharmed).toBeGreaterThan(0);
  // A run acquires, lists, claims and reads; the pass is a transaction of its own, and so is the outcome.
  expect(struck).toBeGreaterThan(12);
}, 480_000);
