import type { PublisherReason, PublisherStatus } from '../../../contract/schemas/publisher.js';
import type { StateRow, TickNote } from './store.js';

/** The state before the first tick. */
export const firstState: StateRow = {
  _id: 'publisher',
  running: null,
  lastTick: null,
  consecutiveFailures: 0,
  attempt: null,
};

/** The state once the tick in it has died: it counts as a failure, and as the last tick. */
export function withoutDeadTick(state: StateRow): StateRow {
  if (state.running === null) return state;
  return {
    ...state,
    running: null,
    lastTick: {
      startedAt: state.running.startedAt,
      finishedAt: null,
      result: null,
      failure: 'interrupted',
    },
    consecutiveFailures: state.consecutiveFailures + 1,
  };
}

/** The state as a tick begins; one still marked as running was someone's whose lease is gone. */
export function beginTick(state: StateRow, tick: { token: number; startedAt: Date }): StateRow {
  return { ...withoutDeadTick(state), running: tick };
}

/** The state as the tick ends; without a note where it was stopped halfway, which says nothing of how things are. */
export function endTick(state: StateRow, note: TickNote | null): StateRow {
  if (note === null) return { ...state, running: null };
  return {
    ...state,
    running: null,
    lastTick: note,
    consecutiveFailures: note.failure === null ? 0 : state.consecutiveFailures + 1,
  };
}

/** What health is judged by. */
export interface Facts {
  now: Date;
  state: StateRow;
  lease: { token: number; expiresAt: Date } | null;
  hasKey: boolean;
  hasBatch: boolean;
  /** When the oldest batch without a receipt was made; null if there is none or no oracle. */
  waitingSince: Date | null;
  /** Three intervals. */
  staleAfterMs: number;
}

export interface Verdict {
  status: PublisherStatus;
  reason: PublisherReason | null;
  state: StateRow;
}

/** What is wrong and needs someone comes before what is merely late, and that before what is merely not there. */
export function judge(facts: Facts): Verdict {
  const state = isAlive(facts) ? facts.state : withoutDeadTick(facts.state);
  const verdict = (status: PublisherStatus, reason: PublisherReason | null) => ({ status, reason, state });
  const { now, waitingSince, staleAfterMs } = facts;
  const isOld = (instant: Date) => now.getTime() - instant.getTime() > staleAfterMs;

  if (state.consecutiveFailures > 0) return verdict('failing', state.lastTick?.failure ?? 'internal');
  if (!facts.hasKey) return verdict('idle', 'no_key');
  const { lastTick, running } = state;
  const lastAt = lastTick?.finishedAt ?? lastTick?.startedAt ?? running?.startedAt;
  if (lastAt === undefined ? facts.hasBatch : isOld(lastAt)) return verdict('stale', 'no_tick');
  if (waitingSince !== null && isOld(waitingSince)) return verdict('stale', 'receipt_overdue');
  return facts.hasBatch ? verdict('ok', null) : verdict('idle', 'nothing_published');
}

/** The tick in the state still has its lease. */
function isAlive({ state, lease, now }: Facts): boolean {
  return lease !== null && lease.token === state.running?.token && lease.expiresAt > now;
}
