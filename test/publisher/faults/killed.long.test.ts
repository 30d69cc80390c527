import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cardsOf, publisherTests, verifyLog } from '../../fixtures/publisher/publisher.js';
import { buildChild, startChild } from '../../fixtures/publisher/publisher-workers.js';
import { type TickStep, tickSteps } from '../../fixtures/publisher/tick-steps.js';
import { testDatabase } from '../../support/database.js';
import { waitFor } from '../../support/wait-for.js';

const database = testDatabase();
const tests = publisherTests(database);
const leaseTtlMs = 300;
let built: Awaited<ReturnType<typeof buildChild>>;
const started: ReturnType<typeof startChild>[] = [];

beforeAll(async () => {
  built = await buildChild();
});
afterAll(() => {
  for (const child of started) child.signal('SIGKILL');
  built.remove();
});

/** Runs a tick in another process that kills itself at the step. */
async function dieAt(killAt: TickStep, oracleUrl: string | undefined, entries: number): Promise<void> {
  const child = startChild(built.program, {
    instance: { uri: database.uri, oracleUrl, leaseTtlMs },
    killAt,
    entries,
    points: 60,
  });
  started.push(child);
  expect(await child.gone).toBe('SIGKILL');
}

/** Before this step nothing of the batch is visible; from it on, the batch is permanent. */
const commit = tickSteps.indexOf('header_committed');

describe('a process killed at a step of its tick', () => {
  it.each(tickSteps)(
    'at %s: loses, skips and doubles nothing, and health reports the failure',
    async (step) => {
      const { oracle } = tests;
      const instance = await tests.open({ leaseTtlMs });
      await instance.tick();
      await dieAt(step, oracle.url, 300);

      const committed = tickSteps.indexOf(step) >= commit;
      const lost = step !== 'end_noted';
      const receipted = step === 'receipt_stored' || step === 'end_noted';
      await waitFor(async () => expect(await (await instance.publisher.health()).running).toBeNull(), {
        timeout: 5_000,
        interval: 20,
      });
      expect(await instance.publisher.health()).toMatchObject({
        status: lost ? 'failing' : 'ok',
        reason: lost ? 'interrupted' : null,
        consecutiveFailures: lost ? 1 : 0,
        latest: { sequence: committed ? 2 : 1 },
        lastSubmission: { sequence: receipted ? 2 : 1 },
        pending: committed && !receipted ? 1 : 0,
      });
      expect(await verifyLog(instance.publisher)).toHaveLength(committed ? 2 : 1);

      instance.setCards(cardsOf(300, 60));
      const answer = await instance.tickSoon();
      expect(answer).toMatchObject({
        result: committed ? 'unchanged' : 'published',
        submitted: receipted ? [] : [2],
        pending: 0,
        failure: null,
      });
      const batches = await verifyLog(instance.publisher);
      expect(batches.map(({ header }) => header.size)).toEqual([3, 300]);
      expect(oracle.taken().map(({ receipt }) => receipt)).toEqual(batches.map(({ receipt }) => receipt));
      expect(await instance.events()).toMatchObject([{ sequence: 1 }, { sequence: 2 }]);
      expect(await instance.publisher.health()).toMatchObject({ status: 'ok', consecutiveFailures: 0 });
      // What the dead process left was replaced.
      const sequences = (await instance.stored.entries.find().toArray()).map(({ _id }) => _id);
      expect(sequences).toEqual([1, 2]);
    },
    30_000,
  );

  it('after its entries: leaves none that anybody sees, also where the next batch has fewer', async () => {
    const instance = await tests.open({ leaseTtlMs });
    await dieAt('entries_written', tests.oracle.url, 5_000);
    expect(await instance.stored.entries.findOne({ _id: 1 })).toMatchObject({ entries: { length: 5_000 } });
    expect(await verifyLog(instance.publisher)).toEqual([]);
    await instance.tickSoon();
    expect((await verifyLog(instance.publisher)).map(({ header }) => header.size)).toEqual([3]);
  });

  it.each(['entries_written', 'header_committed', 'end_noted'] as const)(
    'at %s, without an oracle: announces the batch once',
    async (step) => {
      const instance = await tests.open({ oracleUrl: undefined });
      await dieAt(step, undefined, 3);
      instance.setCards(cardsOf(3, 60));
      await instance.tickSoon();
      expect(await instance.events()).toMatchObject([{ sequence: 1, submitted: false }]);
      expect(await verifyLog(instance.publisher)).toHaveLength(1);
    },
  );
});
