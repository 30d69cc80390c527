import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { mongo } from 'mongoose';
import { WrongClockError } from '../../../server/jobs/clock-check.js';
import {
  createScheduler,
  type JobMeter,
  type OnEveryInstance,
  type Task,
} from '../../../server/jobs/scheduler.js';
import { LeaseLostError } from '../../../server/mongo/leases.js';
import type { Logger } from '../../../server/ports.js';
import { silentLogger } from '../../support/silent-logger.js';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const unmetered: JobMeter = { scheduled: () => undefined, ran: () => undefined };

function newScheduler(deps: { meter?: JobMeter; logger?: Logger } = {}) {
  return createScheduler({ meter: unmetered, random: () => 0.5, logger: silentLogger, ...deps });
}

function jobThat(run: Task['run'], extra: Partial<Task> = {}): Task {
  return { name: 'job', on: 'one instance', intervalMs: 1_000, run, ...extra };
}

function counted(extra: Partial<Task> = {}) {
  const state = { runs: 0 };
  const job: Task = {
    name: 'job',
    on: 'one instance',
    intervalMs: 1_000,
    run: async () => {
      state.runs += 1;
      return { ran: true };
    },
    ...extra,
  };
  return { state, job };
}

describe('the scheduler', () => {
  it.each([
    ['at once and then at its interval', {}, [1, 4]],
    ['at its interval after the time that it says', { firstAfterMs: 600 }, [0, 3]],
  ])('runs a job %s', async (_when, extra, runs) => {
    const { state, job } = counted(extra);
    const scheduler = newScheduler();
    scheduler.start([job]);
    await jest.advanceTimersByTimeAsync(500);
    const early = state.runs;
    await jest.advanceTimersByTimeAsync(3_000);
    expect([early, state.runs]).toEqual(runs);
    await scheduler.stop();
  });

  it('never runs a job twice at once; wake-ups meanwhile are one further run', async () => {
    let finish: () => void = () => undefined;
    let runs = 0;
    const run = () => {
      runs += 1;
      return new Promise<{ ran: boolean }>((resolve) => {
        finish = () => resolve({ ran: true });
      });
    };
    const scheduler = newScheduler();
    scheduler.start([jobThat(run)]);
    for (let n = 0; n < 3; n += 1) scheduler.wake('job');
    expect(runs).toBe(1);
    finish();
    await jest.advanceTimersByTimeAsync(0);
    expect(runs).toBe(2);
    finish();
    await jest.advanceTimersByTimeAsync(0);
    expect(runs).toBe(2);
    await scheduler.stop();
  });

  it('goes on after a run that failed', async () => {
    let runs = 0;
    const run = async () => {
      runs += 1;
      throw new Error('no');
    };
    const scheduler = newScheduler();
    scheduler.start([jobThat(run)]);
    await jest.advanceTimersByTimeAsync(1_500);
    expect(runs).toBe(2);
    await scheduler.stop();
  });

  it('calls a person for what failed, and for nothing that heals itself', async () => {
    const said: string[] = [];
    const note = (level: string) => () => said.push(level);
    const logger = { ...silentLogger, warn: note('warn'), error: note('error') };
    const failures = [new LeaseLostError('held by another'), new Error('a fault of ours')];
    const run = () => Promise.reject(failures.shift() ?? new LeaseLostError('stopping'));
    const scheduler = newScheduler({ logger });
    scheduler.start([jobThat(run)]);
    await jest.advanceTimersByTimeAsync(2_500);
    expect(said).toEqual(['warn', 'error', 'warn']);
    await scheduler.stop();
  });

  it('waits for the run in hand when it is stopped, and starts nothing more', async () => {
    let finish: () => void = () => undefined;
    const { state, job } = counted({ name: 'other' });
    const run = () =>
      new Promise<{ ran: boolean }>((resolve) => {
        finish = () => resolve({ ran: true });
      });
    const scheduler = newScheduler();
    scheduler.start([jobThat(run), job]);
    let stopped = false;
    const stopping = scheduler.stop().then(() => {
      stopped = true;
    });
    await jest.advanceTimersByTimeAsync(5_000);
    expect([stopped, state.runs]).toEqual([false, 1]);
    finish();
    await stopping;
    scheduler.wake('other');
    expect(state.runs).toBe(1);
  });

  it('tells the meter how every run of a job ended', async () => {
    const away = new mongo.MongoNetworkError('no primary');
    const runs: (() => Promise<{ ran: boolean }>)[] = [
      async () => ({ ran: true }),
      async () => ({ ran: false }),
      () => Promise.reject(away),
      () => Promise.reject(new LeaseLostError('held by another')),
      () => Promise.reject(new WrongClockError('60 s ahead')),
      () => Promise.reject(new Error('a fault of ours')),
    ];
    const told: string[] = [];
    const run = () => runs.shift()?.() ?? new Promise<never>(() => undefined);
    const meter: JobMeter = {
      scheduled: (job) => told.push(`${job} scheduled`),
      ran: (job, outcome) => told.push(`${job} ${outcome}`),
    };
    const scheduler = newScheduler({ meter });
    scheduler.start([jobThat(run)]);
    await jest.advanceTimersByTimeAsync(6_500);
    expect(told).toEqual([
      'job scheduled',
      'job done',
      'job elsewhere',
      'job no_database',
      'job cut_short',
      'job wrong_clock',
      'job failed',
    ]);
  });

  it('runs what every instance does without counting it in the metrics of jobs', async () => {
    const told: string[] = [];
    const meter: JobMeter = { scheduled: (job) => told.push(job), ran: (job) => told.push(job) };
    const { state, job } = counted({ on: 'every instance' });
    const scheduler = newScheduler({ meter });
    scheduler.start([job]);
    await jest.advanceTimersByTimeAsync(1_500);
    expect(state.runs).toBe(2);
    expect(told).toEqual([]);
    await scheduler.stop();
  });

  it('warns once per outage of the database, and says when it is over', async () => {
    const said: string[] = [];
    const note = (level: string) => () => said.push(level);
    const logger = { ...silentLogger, info: note('info'), warn: note('warn'), error: note('error') };
    const away = () => Promise.reject(new mongo.MongoNetworkError('no primary'));
    const runs: OnEveryInstance[] = [away, away, away, async () => undefined, async () => undefined, away];
    const scheduler = newScheduler({ logger });
    scheduler.start([jobThat(() => runs.shift()?.() ?? new Promise<void>(() => undefined))]);
    await jest.advanceTimersByTimeAsync(6_500);
    expect(said).toEqual(['warn', 'info', 'warn']);
  });

  it('ignores wake-ups of a task that this instance does not run', async () => {
    const scheduler = newScheduler();
    scheduler.start([]);
    scheduler.wake('job');
    await scheduler.stop();
  });
});
