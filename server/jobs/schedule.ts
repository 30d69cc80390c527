import type { OnEveryInstance, Task, UnderLease } from './scheduler.js';

/** The functions of the features that the tasks call, by the names of the tasks. */
export interface PeriodicWork {
  reconcile: UnderLease;
  refresh: UnderLease;
  tick: UnderLease;
  /** Sends every anchor the questions that any wallet may ask. */
  observe: UnderLease;
  /** Looks for events that have no deliveries yet, and for deliveries that are due. */
  webhooks: OnEveryInstance;
  /** Learns what operators have done on other instances. */
  cacheEpoch: OnEveryInstance;
  snapshot: OnEveryInstance;
  /** Takes the samples of the rate history; the first one of a slot counts. */
  rateSamples: OnEveryInstance;
  /** Reads what every anchor publishes about itself (SEP-1 and its services). */
  discovery: OnEveryInstance;
  cards: OnEveryInstance;
  /** Compares this machine's clock with the primary's. */
  clockCheck: OnEveryInstance;
}

/** The intervals of the jobs that internal endpoints can start as well. */
export const jobIntervalsMs = {
  reconcile: 30_000,
  refresh: 60_000,
  tick: 300_000,
  observe: 300_000,
} as const;

export type TaskName = keyof PeriodicWork;

/**
 * All periodic work of the service. Features own no timers; they expose the functions that run here.
 * @param work.leased whether this instance takes part in the jobs that run on one instance at a time
 * @param work.observer whether it takes part in observing the anchors, too, which an operator opts in to
 */
export function createSchedule(
  work: PeriodicWork & { leased: boolean; observer: boolean },
): Task<TaskName>[] {
  const one = { on: 'one instance' } as const;
  const every = { on: 'every instance' } as const;
  const schedule: Task<TaskName>[] = [
    // The same functions as behind the internal endpoints, under the same leases.
    { name: 'reconcile', ...one, intervalMs: jobIntervalsMs.reconcile, run: work.reconcile },
    { name: 'refresh', ...one, intervalMs: jobIntervalsMs.refresh, run: work.refresh },
    // After the first refresh, so that a new service does not publish a batch with nothing in it.
    { name: 'tick', ...one, intervalMs: jobIntervalsMs.tick, firstAfterMs: 10_000, run: work.tick },
    ...(work.observer
      ? [{ name: 'observe', ...one, intervalMs: jobIntervalsMs.observe, run: work.observe } as const]
      : []),

    { name: 'webhooks', ...every, intervalMs: 1_000, run: work.webhooks },
    { name: 'cacheEpoch', ...every, intervalMs: 500, run: work.cacheEpoch },
    { name: 'snapshot', ...every, intervalMs: 15_000, run: work.snapshot },
    // After the anchors and their reputation were read, so that the first sample of a new service is complete.
    { name: 'rateSamples', ...every, intervalMs: 10_000, firstAfterMs: 10_000, run: work.rateSamples },
    { name: 'discovery', ...every, intervalMs: 600_000, run: work.discovery },
    { name: 'cards', ...every, intervalMs: 5_000, run: work.cards },
    { name: 'clockCheck', ...every, intervalMs: 60_000, firstAfterMs: 60_000, run: work.clockCheck },
  ];
  return schedule.filter(({ on }) => work.leased || on === 'every instance');
}
