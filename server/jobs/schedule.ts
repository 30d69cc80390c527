import type { Job } from './scheduler.js';

/** What the jobs call: the very functions behind the internal endpoints, under the same leases. */
export interface ScheduledWork {
  fold: Job['run'];
  reconcile: Job['run'];
  refresh: Job['run'];
  tick: Job['run'];
}

/** Every background job: its name, how often it runs, and (in its feature) the lease it runs under. */
export function createSchedule(work: ScheduledWork): Job[] {
  return [
    { name: 'fold', intervalMs: 5_000, run: work.fold },
    { name: 'reconcile', intervalMs: 30_000, run: work.reconcile },
    { name: 'refresh', intervalMs: 60_000, run: work.refresh },
    // After the first refresh, so that a new service publishes what it has and not that it has nothing.
    { name: 'tick', intervalMs: 300_000, firstAfterMs: 10_000, run: work.tick },
  ];
}
