import type { Leases } from '../mongo/leases.js';
import { createOutageLog } from '../outage-log.js';
import type { Clock, Logger } from '../ports.js';
import type { OnEveryInstance } from './scheduler.js';

/** A job that must be started by a request if no scheduler runs it. */
export interface WatchedJob {
  task: string;
  /** The lease that every run of it takes, on whichever instance. */
  lease: string;
  /** The path of its internal endpoint. */
  endpoint: string;
  intervalMs: number;
}

/** After this many intervals without a run, the call is not just late but missing. */
const patience = 10;

/**
 * Warns of a job that no instance has run for ten of its intervals, once until it runs again. Every run changes the
 * token of the job's lease, which all instances share, so it does not matter which instance is called.
 */
export function createJobWatch(deps: {
  jobs: readonly WatchedJob[];
  readLease: Leases['read'];
  clock: Clock;
  logger: Logger;
}): OnEveryInstance {
  const { jobs, readLease, clock } = deps;
  const seen = new Map<string, { token: number; atMs: number }>();
  const outages = createOutageLog({
    ...deps,
    says: {
      failed: 'no instance runs this job: the scheduler is off and nobody calls its endpoint',
      worked: 'the job runs again',
    },
  });

  async function look({ task, lease, endpoint, intervalMs }: WatchedJob): Promise<void> {
    const state = await readLease(lease);
    const now = clock();
    const last = seen.get(task);
    const isRunning = state !== null && state.expiresAt.getTime() > now;
    if (last === undefined || isRunning || state?.token !== last.token) {
      seen.set(task, { token: state?.token ?? 0, atMs: now });
      // At the first check there is nothing to compare with.
      if (last !== undefined) outages.worked(task, { task });
      return;
    }
    const idleMs = now - last.atMs;
    if (idleMs < patience * intervalMs) return;
    outages.failed(task, { task, endpoint, idleForSeconds: Math.round(idleMs / 1_000) });
  }

  return async () => {
    for (const job of jobs) await look(job);
  };
}
