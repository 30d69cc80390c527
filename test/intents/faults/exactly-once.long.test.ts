import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Connection } from 'mongoose';
import { withDatabase } from '../../../scripts/mongod/uri.js';
import { reconcileLease } from '../../../server/features/intents/polls/reconcile.js';
import { newIntent } from '../../../server/features/intents/registration/new-intent.rules.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { prepareCollections } from '../../../server/mongo/models.js';
import { account, freshState, see, startMs } from '../../fixtures/intents/intent-states.js';
import { openIntents } from '../../fixtures/intents/intents-fixture.js';
import { type ReconcileProcesses, reconcileProcesses } from '../../fixtures/intents/reconcile-processes.js';
import type { Task } from '../../fixtures/intents/reconcile-worker.js';
import { insertIntents, intentDocuments } from '../../fixtures/intents/stored-intents.js';
import { emitInto, outboxOf } from '../../fixtures/webhooks/emit.js';
import { expectFor } from '../../support/expect-for.js';
import { runSeed, seeded } from '../../support/seeded.js';
import { eventually, untilStopped } from '../../support/worker-processes.js';

const leaseTtlMs = 600;
const atOnce = 3;
const random = seeded(runSeed());
const kill = () => ({ at: 1 + Math.floor(random() * 30), signal: 'SIGKILL' as const });
const minute = 60_000;
/** Enough for a few processes to start and connect. */
const togetherInMs = 2_500;

/** The anchor's record for each transaction, and the expected outcome and event. */
const plan: [record: Record<string, unknown>, outcome: string, event: string | null][] = [
  [{ status: 'completed', amount_in: '100', amount_out: '150000' }, 'settled completed', 'intent.settled'],
  [{ status: 'refunded', amount_in: '100' }, 'failed refunded', 'intent.failed'],
  [{ status: 'expired' }, 'expired abandoned', null],
  [{ status: 'completed', amount_in: '100', amount_out: '149000' }, 'settled completed', 'intent.settled'],
  [{ status: 'pending_anchor' }, 'pending', null],
];

let processes: ReconcileProcesses;

beforeAll(async () => {
  processes = await reconcileProcesses((id) => ({
    id,
    kind: 'withdrawal',
    ...plan[Number(id.slice(2))]?.[0],
  }));
});
afterAll(() => processes.stop());

type Prepared = Awaited<ReturnType<typeof prepared>>;

/** A database with a due intent for each line of the plan, which was seen once before its payment. */
async function prepared(name: string) {
  const uri = withDatabase(processes.uri, name);
  const connection = await connectMongo({ uri });
  const intents = openIntents(connection, { origin: processes.origin, owner: 'test', leaseTtlMs });
  emitInto(connection);
  await prepareCollections(connection);
  await intents.leases.seed([reconcileLease]);
  const nowMs = Date.now();
  const seenUnpaid = see(freshState(), [0, {}]).observations;
  const shift = (ms: number | null) => (ms === null ? null : ms - startMs + nowMs - minute);
  const observations = {
    ...seenUnpaid,
    firstAtMs: shift(seenUnpaid.firstAtMs),
    lastAtMs: shift(seenUnpaid.lastAtMs),
    unfundedAtMs: shift(seenUnpaid.unfundedAtMs),
    notReadyAtMs: shift(seenUnpaid.notReadyAtMs),
    notCompletedAtMs: shift(seenUnpaid.notCompletedAtMs),
  };
  const corridor = {
    id: 'usdc-ngn',
    sellAsset: freshState().corridorTerms.sellAsset,
    buyAsset: 'iso4217:NGN',
    overdueAfterSeconds: 86_400,
  };
  await insertIntents(
    connection,
    ...plan.map((_line, index) => ({
      ...newIntent({
        intentHash: hashOf(index),
        body: {
          corridor: 'usdc-ngn',
          anchorId: 'harbour',
          account,
          sellAmount: '100',
          nonce: '',
          anchorTransactionId: `tx${index}`,
        },
        corridor,
        quote: null,
        nowMs: nowMs - 2 * minute,
      }),
      observations,
    })),
  );
  const work = (job: Task['job'], strike: Task['strike'], beginAtMs = 0) =>
    processes.start({ uri, origin: processes.origin, job, leaseTtlMs, beginAtMs, strike });
  return { connection, intents, work };
}

function hashOf(index: number): string {
  return createHash('sha256').update(String(index)).digest('hex');
}

/** Lets this process finish what others left, then checks every intent and every event. */
async function endsWell({ connection, intents }: Prepared): Promise<void> {
  await eventually(async () => {
    await intentDocuments(connection).updateMany({ status: 'pending' }, { $set: { due: new Date(0) } });
    const run = await intents.reconcile();
    const done = await intentDocuments(connection).countDocuments({ status: { $ne: 'pending' } });
    return run.ran && done === plan.filter(([, outcome]) => outcome !== 'pending').length ? true : undefined;
  });
  await everyOutcomeOnce(connection);
}

async function everyOutcomeOnce(connection: Connection): Promise<void> {
  const events = await outboxOf(connection).find().toArray();
  for (const [index, [, outcome, event]] of plan.entries()) {
    const intent = await intentDocuments(connection).findOne({ _id: hashOf(index) });
    const reason = intent?.outcome === null ? '' : ` ${intent?.outcome.reason}`;
    expectFor(`intent ${index}`, `${intent?.status}${reason}`).toBe(outcome);
    expect(intent).toMatchObject({ unscoredReason: null });
    const own = events.filter(({ data }) => 'intentHash' in data && data.intentHash === hashOf(index));
    expectFor(
      `events of intent ${index}`,
      own.map((row) => row.event),
    ).toEqual(event === null ? [] : [event]);
  }
}

async function close({ connection, intents }: Prepared): Promise<void> {
  await connection.close();
  await intents.close();
}

describe('a reconciliation', () => {
  it('loses no outcome and announces none twice when killed before any of its commands', async () => {
    let struck = 0;
    let unharmed = 0;
    for (let first = 1; unharmed === 0 && first < 90; first += atOnce) {
      const steps = Array.from({ length: atOnce }, (_, index) => first + index);
      const ends = await Promise.all(
        steps.map(async (step) => {
          const ready = await prepared(`killed-${step}`);
          const end = await ready.work('reconcile', { at: step, signal: 'SIGKILL' }).ended;
          return { ready, end };
        }),
      );
      for (const { ready, end } of ends) {
        if (end.signal === 'SIGKILL') struck += 1;
        else {
          expect(end).toMatchObject({ code: 0 });
          unharmed += 1;
        }
        await endsWell(ready);
        await close(ready);
      }
    }
    expect(unharmed).toBeGreaterThan(0);
    // Acquire, list, then claim, read and write for five intents; three writes are transactions of four commands.
    expect(struck).toBeGreaterThan(24);
  }, 240_000);

  it.each([
    ['before its first transaction writes', 'update'],
    ['before it commits', 'commitTransaction'],
    ['before it takes its first turn', 'findAndModify'],
  ])(
    'changes nothing more when it was stopped %s and another took over',
    async (_when, at) => {
      const ready = await prepared(`stopped-${at}`);
      const worker = ready.work('reconcile', { at, signal: 'SIGSTOP' });
      await untilStopped(worker);
      await endsWell(ready);
      worker.process.kill('SIGCONT');
      await worker.ended;
      await everyOutcomeOnce(ready.connection);
      await close(ready);
    },
    60_000,
  );

  it('writes no outcome after losing its lease, even if nobody else wrote one', async () => {
    const ready = await prepared('fenced');
    const worker = ready.work('reconcile', { at: 'update', signal: 'SIGSTOP' });
    await untilStopped(worker);
    await eventually(async () => {
      const held = await ready.intents.leases.run(reconcileLease, 10_000, async () => {
        worker.process.kill('SIGCONT');
        await worker.ended;
        return intentDocuments(ready.connection).countDocuments({ status: { $ne: 'pending' } });
      });
      expect(held.ran ? held.value : 0).toBe(0);
      return held.ran ? true : undefined;
    });
    await endsWell(ready);
    await close(ready);
  }, 60_000);

  it('runs in one process at a time when four start it and two are killed at random', async () => {
    const ready = await prepared('crowd');
    const crowd = [null, kill(), kill(), null].map((strike) => ready.work('reconcile', strike));
    await Promise.all(crowd.map(({ ended }) => ended));
    await endsWell(ready);
    await close(ready);
  }, 60_000);
});

describe('callbacks, which hold no lease', () => {
  it('record each outcome once when four processes receive them at once', async () => {
    const ready = await prepared('callbacks');
    const beginAtMs = Date.now() + togetherInMs;
    const crowd = Array.from({ length: 4 }, () => ready.work('callbacks', null, beginAtMs));
    const ends = await Promise.all(crowd.map(({ ended }) => ended));
    const turned = ends.flatMap(({ output }) => JSON.parse(output) as string[]);
    expect(turned.sort()).toEqual([0, 1, 2, 3].map(hashOf).sort());
    await everyOutcomeOnce(ready.connection);
    await close(ready);
  }, 60_000);

  it('record each outcome once beside a reconciliation when either is killed at random', async () => {
    for (const round of [1, 2, 3]) {
      const ready = await prepared(`beside-${round}`);
      const beginAtMs = Date.now() + togetherInMs;
      const both = [
        ready.work('reconcile', kill(), beginAtMs),
        ready.work('callbacks', round === 2 ? null : kill(), beginAtMs),
      ];
      await Promise.all(both.map(({ ended }) => ended));
      await endsWell(ready);
      await close(ready);
    }
  }, 60_000);
});
