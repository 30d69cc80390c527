import { isMongoUnavailable } from '../mongo/failures.js';
import { LeaseLostError } from '../mongo/leases.js';
import type { Logger, Random } from '../ports.js';
import { WrongClockError } from './clock-check.js';

/** One row of the schedule. */
export interface Task<Name extends string = string> {
  name: Name;
  /**
   * `one instance`: `run` takes a lease, so that any number of instances may hold the same schedule; its runs are
   * counted in the metrics. `every instance`: `run` runs in every process, mostly to keep its memory up to date.
   */
  on: 'one instance' | 'every instance';
  intervalMs: number;
  /** How long after the start it first runs; at once when absent. */
  firstAfterMs?: number;
  run: UnderLease | OnEveryInstance;
}

/** `ran` is false where another instance holds the lease. */
export type UnderLease = () => Promise<{ ran: boolean }>;
export type OnEveryInstance = () => Promise<void>;

/**
 * How a run ended: `done`, `elsewhere` (another instance holds the lease), `no_database`, `cut_short` (its lease was
 * lost or the service is stopping), `wrong_clock` (this machine's clock is off), or `failed`, which a person should look
 * at.
 */
export const jobOutcomes = [
  'done',
  'elsewhere',
  'no_database',
  'cut_short',
  'wrong_clock',
  'failed',
] as const;
export type JobOutcome = (typeof jobOutcomes)[number];

/** Counts the runs of the tasks that run on one instance at a time. */
export interface JobMeter {
  scheduled(job: string): void;
  ran(job: string, outcome: JobOutcome): void;
}

export type Scheduler<Name extends string = string> = ReturnType<typeof createScheduler<Name>>;

interface Scheduled {
  task: Task;
  timer: NodeJS.Timeout | undefined;
  current: Promise<void> | undefined;
  wokenMeanwhile: boolean;
  last: JobOutcome | undefined;
}

const jitter = 0.1;

/**
 * Runs each task at its interval, ±10 % so that instances drift apart, and never twice at once in one process. It is
 * constructed before the features, which wake their tasks through it, and is given the schedule when it starts.
 */
export function createScheduler<Name extends string>(deps: {
  meter: JobMeter;
  random: Random;
  logger: Logger;
}) {
  const { meter, random, logger } = deps;
  const scheduled = new Map<Name, Scheduled>();
  let stopped = false;

  function launchAfter(entry: Scheduled, delayMs: number): void {
    if (stopped) return;
    entry.timer = setTimeout(() => launch(entry), delayMs);
    entry.timer.unref();
  }

  function launch(entry: Scheduled): void {
    if (stopped) return;
    if (entry.current !== undefined) {
      entry.wokenMeanwhile = true;
      return;
    }
    clearTimeout(entry.timer);
    entry.current = runOnce(entry).finally(() => {
      entry.current = undefined;
      if (entry.wokenMeanwhile) {
        entry.wokenMeanwhile = false;
        launch(entry);
      } else launchAfter(entry, entry.task.intervalMs * (1 + jitter * (2 * random() - 1)));
    });
  }

  async function runOnce(entry: Scheduled): Promise<void> {
    const { name, on, run } = entry.task;
    const outcome = await run().then(
      (result): JobOutcome => (result?.ran === false ? 'elsewhere' : 'done'),
      (error) => reportFailure(entry, error),
    );
    if (entry.last === 'no_database' && outcome !== 'no_database')
      logger.info({ task: name }, 'the task has the database again');
    entry.last = outcome;
    if (on === 'one instance') meter.ran(name, outcome);
  }

  function reportFailure({ task, last }: Scheduled, error: unknown): JobOutcome {
    const fields = { err: error, task: task.name };
    if (isMongoUnavailable(error)) {
      // Once per outage: some tasks run several times a second.
      if (last !== 'no_database') logger.warn(fields, 'the task waits for the database');
      return 'no_database';
    }
    // The check of the clock has logged it, once.
    if (error instanceof WrongClockError) return 'wrong_clock';
    if (error instanceof LeaseLostError) {
      logger.warn(fields, 'the task was cut short; its next run takes over');
      return 'cut_short';
    }
    logger.error(fields, 'the task failed');
    return 'failed';
  }

  return {
    /** Runs every task of the schedule at its interval. */
    start(schedule: readonly Task<Name>[]): void {
      for (const task of schedule) {
        const entry = { task, timer: undefined, current: undefined, wokenMeanwhile: false, last: undefined };
        scheduled.set(task.name, entry);
        if (task.on === 'one instance') meter.scheduled(task.name);
        if (task.firstAfterMs === undefined) launch(entry);
        else launchAfter(entry, task.firstAfterMs);
      }
    },
    /** Runs the task soon, whatever its interval; wake-ups during a run cause one further run. */
    wake(name: Name): void {
      const entry = scheduled.get(name);
      if (entry !== undefined) launch(entry);
    },
    /** Starts nothing more and waits for the runs in hand. */
    async stop(): Promise<void> {
      stopped = true;
      for (const { timer } of scheduled.values()) clearTimeout(timer);
      await Promise.all([...scheduled.values()].map(({ current }) => current));
    },
  };
}
