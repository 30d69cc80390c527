import { isMongoUnavailable } from '../mongo/failures.js';
import { LeaseLostError } from '../mongo/leases.js';
import type { Logger, Random } from '../ports.js';

/** One line of the schedule. `run` takes its lease itself, so any number of instances may hold the same list. */
export interface Job {
  name: string;
  intervalMs: number;
  /** How long after the start it runs first; at once when absent. */
  firstAfterMs?: number;
  /** `ran` is false where another instance was at it. */
  run(): Promise<{ ran: boolean }>;
}

/**
 * What became of a run: `done`, `elsewhere` (another instance was at it), `no_database`, `cut_short` (its lease was lost
 * or the service is stopping), or `failed`, which a person should look at.
 */
export const jobOutcomes = ['done', 'elsewhere', 'no_database', 'cut_short', 'failed'] as const;
export type JobOutcome = (typeof jobOutcomes)[number];

/** Told of what the scheduler does. */
export interface JobMeter {
  scheduled(job: string): void;
  ran(job: string, outcome: JobOutcome): void;
}

export interface Scheduler {
  start(): void;
  /** Runs the job soon, whatever its interval; wake-ups while it runs are kept as one further run. */
  wake(name: string): void;
  /** Waits for the runs in hand. */
  stop(): Promise<void>;
}

interface Running {
  job: Job;
  timer: NodeJS.Timeout | undefined;
  current: Promise<void> | undefined;
  again: boolean;
}

const jitter = 0.1;

/** Runs each job at its interval, ±10 % so that instances drift apart, never twice at once in one process. */
export function createScheduler(deps: {
  jobs: readonly Job[];
  meter: JobMeter;
  random: Random;
  logger: Logger;
}): Scheduler {
  const running = new Map<string, Running>(
    deps.jobs.map((job) => [job.name, { job, timer: undefined, current: undefined, again: false }]),
  );
  let started = false;

  function plan(entry: Running): void {
    if (!started) return;
    launchAfter(entry, entry.job.intervalMs * (1 + jitter * (2 * deps.random() - 1)));
  }

  function launchAfter(entry: Running, delayMs: number): void {
    entry.timer = setTimeout(() => launch(entry), delayMs);
    entry.timer.unref();
  }

  function launch(entry: Running): void {
    if (!started) return;
    if (entry.current !== undefined) {
      entry.again = true;
      return;
    }
    clearTimeout(entry.timer);
    entry.current = entry.job
      .run()
      .then(
        ({ ran }): JobOutcome => (ran ? 'done' : 'elsewhere'),
        (error: unknown) => report(entry.job, error),
      )
      .then((outcome) => deps.meter.ran(entry.job.name, outcome))
      .finally(() => {
        entry.current = undefined;
        if (entry.again) {
          entry.again = false;
          launch(entry);
        } else plan(entry);
      });
  }

  function report(job: Job, error: unknown): JobOutcome {
    if (isMongoUnavailable(error)) {
      deps.logger.warn({ err: error, job: job.name }, 'job waits for the database');
      return 'no_database';
    }
    if (error instanceof LeaseLostError) {
      deps.logger.warn({ err: error, job: job.name }, 'job was cut short');
      return 'cut_short';
    }
    deps.logger.error({ err: error, job: job.name }, 'job failed');
    return 'failed';
  }

  return {
    start() {
      started = true;
      for (const entry of running.values()) {
        deps.meter.scheduled(entry.job.name);
        if (entry.job.firstAfterMs === undefined) launch(entry);
        else launchAfter(entry, entry.job.firstAfterMs);
      }
    },
    wake(name) {
      const entry = running.get(name);
      if (entry !== undefined) launch(entry);
    },
    async stop() {
      started = false;
      for (const entry of running.values()) clearTimeout(entry.timer);
      await Promise.all([...running.values()].map((entry) => entry.current));
    },
  };
}
