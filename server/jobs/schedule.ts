import type { OnEveryInstance, Task, UnderLease } from './scheduler.js';

/** All periodic work of the service. Features own no timers; they expose the functions that run here. */
const tasks = {
  // The same functions as behind the internal endpoints, under the same leases.
  reconcile: { on: 'one instance', intervalMs: 30_000 },
  refresh: { on: 'one instance', intervalMs: 60_000 },
  // After the first refresh, so that a new service does not publish a batch with nothing in it.
  tick: { on: 'one instance', intervalMs: 300_000, firstAfterMs: 10_000 },
  /** Sends every anchor the questions that any wallet may ask. */
  observe: { on: 'one instance', intervalMs: 300_000 },

  /** Looks for events that have no deliveries yet, and for deliveries that are due. */
  webhooks: { on: 'every instance', intervalMs: 1_000 },
  /** Learns what operators have done on other instances. */
  cacheEpoch: { on: 'every instance', intervalMs: 500 },
  snapshot: { on: 'every instance', intervalMs: 15_000 },
  /** Takes the samples of the rate history; the first one of a slot counts. The anchors and their cards were read by then. */
  rateSamples: { on: 'every instance', intervalMs: 10_000, firstAfterMs: 10_000 },
  /** Reads what every anchor publishes about itself (SEP-1 and its services). */
  discovery: { on: 'every instance', intervalMs: 600_000 },
  cards: { on: 'every instance', intervalMs: 5_000 },
  /** Compares this machine's clock with the primary's. */
  clockCheck: { on: 'every instance', intervalMs: 60_000, firstAfterMs: 60_000 },
} as const satisfies Record<string, Omit<Task, 'name' | 'run'>>;

export type TaskName = keyof typeof tasks;

/** The functions of the features that the tasks call. */
type PeriodicWork = {
  [Name in TaskName]: (typeof tasks)[Name]['on'] extends 'one instance' ? UnderLease : OnEveryInstance;
};

export const observeEveryMs = tasks.observe.intervalMs;
export const tickEveryMs = tasks.tick.intervalMs;

/**
 * The tasks of this instance.
 * @param takesPart.leased in the jobs that run on one instance at a time
 * @param takesPart.observer in observing the anchors, too, which an operator opts in to
 */
export function createSchedule(
  work: PeriodicWork,
  takesPart: { leased: boolean; observer: boolean },
): Task<TaskName>[] {
  return (Object.keys(tasks) as TaskName[])
    .map((name) => ({ name, ...tasks[name], run: work[name] }))
    .filter(({ on }) => takesPart.leased || on === 'every instance')
    .filter(({ name }) => takesPart.observer || name !== 'observe');
}
