import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { mongo } from 'mongoose';
import { WrongClockError } from '../../../server/jobs/clock-check.js';
import { createScheduler, type Task } from '../../../server/jobs/scheduler.js';
import { LeaseLostError } from '../../../server/mongo/leases.js';
import { silentLogger } from '../../support/silent-logger.js';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const done = { ran: true };
const [fault, lost] = [new Error('a fault of ours'), new LeaseLostError('held by another')];
const away = new mongo.MongoNetworkError('no primary');

/** Runs that end as given, one after another; a further one does not end. */
function ending(...ends: (Error | { ran: boolean })[]) {
  return jest.fn((): Promise<{ ran: boolean }> => {
    const end = ends.shift();
    if (end === undefined) return new Promise(() => undefined);
    return end instanceof Error ? Promise.reject(end) : Promise.resolve(end);
  });
}

/** Runs that end when the test says so. */
function held() {
  let finish: (ended: { ran: boolean }) => void = () => undefined;
  const begin = () =>
    new Promise<{ ran: boolean }>((resolve) => {
      finish = resolve;
    });
  return { run: jest.fn(begin), finish: () => finish(done) };
}

describe('the scheduler', () => {
  it.each<[when: string, extra: Partial<Task>, runs: number[]]>([
    ['at once and then at its interval', {}, [1, 4]],
    ['at its interval after the time that it says', { firstAfterMs: 600 }, [0, 3]],
  ])('runs a job %s', async (_when, extra, runs) => {
    const run = ending(done, done, done, done, done);
    const { scheduler } = started({ run, ...extra });
    await jest.advanceTimersByTimeAsync(500);
    const early = run.mock.calls.length;
    await jest.advanceTimersByTimeAsync(3_000);
    expect([early, run.mock.calls.length]).toEqual(runs);
    await scheduler.stop();
  });

  it('never runs a job twice at once; wake-ups meanwhile are one further run, and those of other tasks none', async () => {
    const { run, finish } = held();
    const { scheduler } = started({ run });
    for (const name of ['job', 'job', 'job', 'unknown']) scheduler.wake(name);
    expect(run).toHaveBeenCalledTimes(1);
    for (let times = 0; times < 2; times += 1) {
      finish();
      await jest.advanceTimersByTimeAsync(0);
      expect(run).toHaveBeenCalledTimes(2);
    }
    await scheduler.stop();
  });

  it('waits for the run in hand when it is stopped, and starts nothing more', async () => {
    const { run, finish } = held();
    const other = ending(done, done);
    const { scheduler } = started({ run }, { name: 'other', run: other });
    let stopped = false;
    const stopping = scheduler.stop().then(() => {
      stopped = true;
    });
    await jest.advanceTimersByTimeAsync(5_000);
    expect([stopped, other.mock.calls.length]).toEqual([false, 1]);
    finish();
    await stopping;
    scheduler.wake('other');
    expect(other).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['a person for what failed, and for nothing that heals itself', [lost, fault, lost], 'warn error warn'],
    ['once per outage of the database, and after it', [away, away, done, done, away], 'warn info warn'],
  ])('goes on after a run that failed, and calls %s', async (_whom, ends, levels) => {
    const { said } = started({ run: ending(...ends) });
    await jest.advanceTimersByTimeAsync(6_500);
    expect(said).toEqual(levels.split(' '));
  });

  it('tells the meter how every run of a job ended, and nothing of what every instance does', async () => {
    const ends = [done, { ran: false }, away, lost, new WrongClockError('60 s ahead'), fault];
    const everywhere = ending(...ends);
    const other = { name: 'everywhere', on: 'every instance', run: everywhere } as const;
    const { metered } = started({ run: ending(...ends) }, other);
    await jest.advanceTimersByTimeAsync(6_500);
    const outcomes = ['done', 'elsewhere', 'no_database', 'cut_short', 'wrong_clock', 'failed'];
    expect(metered).toEqual(['scheduled', ...outcomes].map((told) => `job ${told}`));
    expect(everywhere).toHaveBeenCalledTimes(7);
  });
});

/** A scheduler with these jobs, due every second, and what it told its log and its meter. */
function started(...tasks: Partial<Task>[]) {
  const said: string[] = [];
  const metered: string[] = [];
  const note = (level: string) => () => void said.push(level);
  const scheduler = createScheduler({
    meter: {
      scheduled: (job) => void metered.push(`${job} scheduled`),
      ran: (job, outcome) => void metered.push(`${job} ${outcome}`),
    },
    random: () => 0.5,
    logger: { ...silentLogger, info: note('info'), warn: note('warn'), error: note('error') },
  });
  const usual: Task = { name: 'job', on: 'one instance', intervalMs: 1_000, run: async () => done };
  scheduler.start(tasks.map((task) => ({ ...usual, ...task }) as Task));
  return { scheduler, said, metered };
}
