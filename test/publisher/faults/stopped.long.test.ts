import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import {
  cardsOf,
  type PublisherInstance,
  publisherTests,
  verifyLog,
} from '../../fixtures/publisher/publisher.js';
import {
  buildChild,
  type Child,
  type ChildOptions,
  startChild,
} from '../../fixtures/publisher/publisher-workers.js';
import type { TickStep } from '../../fixtures/publisher/tick-steps.js';
import { testDatabase } from '../../support/database.js';
import { itWhere } from '../../support/it-where.js';
import { waitFor } from '../../support/wait-for.js';

const database = testDatabase();
const tests = publisherTests(database);
const leaseTtlMs = 300;
const started: Child[] = [];
let built: Awaited<ReturnType<typeof buildChild>>;

beforeAll(async () => {
  built = await buildChild();
});
afterAll(() => {
  for (const child of started) child.signal('SIGKILL');
  built.remove();
});

function start(options: Partial<ChildOptions>): Child {
  const instance = { uri: database.uri, oracleUrl: tests.oracle.url, leaseTtlMs };
  const child = startChild(built.program, { instance, entries: 300, points: 60, ...options });
  started.push(child);
  return child;
}

/** Everything a tick may write, but for the notes of ticks themselves. */
async function everything({ stored, events }: PublisherInstance) {
  return {
    batches: await stored.batches.find().sort({ _id: 1 }).toArray(),
    entries: await stored.entries.find().sort({ _id: 1 }).toArray(),
    leaves: await stored.leaves.find().sort({ _id: 1 }).toArray(),
    state: await stored.state.findOne({ _id: 'publisher' }),
    events: await events(),
    taken: [...tests.oracle.taken()],
  };
}

/** Runs a tick in another process up to the step, and leaves it stopped there, its lease lapsing. */
async function stopAt(stopAt: TickStep): Promise<Child> {
  const child = start({ stopAt });
  await child.until('step');
  await waitFor(async () => expect(await stateOf(child)).toBe('T'), { interval: 10 });
  return child;
}

/** T: stopped. */
function stateOf({ process: { pid } }: Child): string {
  return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.charAt(0) ?? '';
}

const steps: TickStep[] = [
  'tick_noted',
  'cards_gathered',
  'entries_written',
  'header_committed',
  'oracle_answered',
  'receipt_stored',
];

// Elsewhere there is no telling when a process has stopped.
const linux = process.platform === 'linux';
const itOnLinux = itWhere(linux, 'no /proc: processes stopped in the middle of a tick');

describe('a tick that is stopped until its lease is taken over', () => {
  itOnLinux.each(steps)('at %s: writes nothing once it runs again, and submits nothing new', async (step) => {
    const child = await stopAt(step);
    const instance = await tests.open({ leaseTtlMs });
    instance.setCards(cardsOf(5, 70));
    await instance.tickSoon();
    const before = await everything(instance);
    const arrivals = tests.oracle.arrivals().length;

    child.signal('SIGCONT');
    expect(await child.until('failed')).toEqual({ failed: expect.stringContaining('held by another') });
    await child.gone;
    expect(await everything(instance)).toEqual(before);
    // Only the batch that it had committed arrives once more, and the oracle answers with the receipt that it gave already.
    const late = step === 'header_committed' ? 1 : 0;
    expect(tests.oracle.arrivals()).toHaveLength(arrivals + late);

    const batches = await verifyLog(instance.publisher);
    expect(batches.at(-1)?.header.size).toBe(5);
    expect(tests.oracle.taken().map(({ receipt }) => receipt)).toEqual(batches.map(({ receipt }) => receipt));
    expect(await instance.events()).toHaveLength(batches.length);
    expect(await instance.publisher.health()).toMatchObject({ status: 'ok', pending: 0 });
  });
});

describe('a lease', () => {
  itOnLinux(
    'of a dead holder is not taken over before it expires, and is taken over as soon as it has',
    async () => {
      const instance = await tests.open({ leaseTtlMs: 2_000 });
      const child = start({ killAt: 'entries_written', instance: { ...slow(), leaseTtlMs: 2_000 } });
      expect(await child.gone).toBe('SIGKILL');
      expect(await instance.publisher.tick()).toMatchObject({ ran: false });
      const diedAt = performance.now();
      await instance.tickSoon();
      const waitedMs = performance.now() - diedAt;
      expect(waitedMs).toBeLessThan(2_000 + 8_000);
    },
  );

  const slow = () => ({ uri: database.uri, oracleUrl: tests.oracle.url });
});
