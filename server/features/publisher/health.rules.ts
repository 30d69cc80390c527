import type {
  PublisherReason,
  PublisherStatus,
  TickFailure,
  TickResult,
} from '../../../contract/schemas/publisher.js';

/** How a tick ended. */
export interface TickNote {
  startedAt: Date;
  /** Null for a tick that died. */
  finishedAt: Date | null;
  result: TickResult | null;
  failure: TickFailure | null;
}

/** The state that ticks record for the next tick and for health. */
export interface TickState {
  /** The tick under way, or one that died; `token` is its lease's. */
  running: { token: number; startedAt: Date } | null;
  lastTick: TickNote | null;
  consecutiveFailures: number;
  /** Since when no tick could publish what there is: the start of the first of the ticks in a row that were held. */
  heldSince: Date | null;
}

/** The state before the first tick. */
export const firstState: TickState = {
  running: null,
  lastTick: null,
  consecutiveFailures: 0,
  heldSince: null,
};

/** The state after its running tick has died: that tick counts as a failure and as the last tick. */
function withoutDeadTick(state: TickState): TickState {
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

/** The state as a tick begins. A tick still marked as running belonged to a holder whose lease is gone. */
export function beginTick(state: TickState, tick: { token: number; startedAt: Date }): TickState {
  return { ...withoutDeadTick(state), running: tick };
}

/** The state as the tick ends. Null for a tick that was stopped halfway: it neither failed nor succeeded. */
export function endTick(state: TickState, note: TickNote | null): TickState {
  if (note === null) return { ...state, running: null };
  return {
    ...state,
    running: null,
    lastTick: note,
    heldSince: heldSinceAfter(state, note),
    consecutiveFailures: note.failure === null ? 0 : state.consecutiveFailures + 1,
  };
}

/** A tick that ended without a result says nothing about the log. */
function heldSinceAfter({ heldSince }: TickState, { result, startedAt }: TickNote): Date | null {
  if (result === null) return heldSince;
  return result === 'held' ? (heldSince ?? startedAt) : null;
}

/** The facts that health is computed from. */
export interface Facts {
  now: Date;
  state: TickState;
  lease: { token: number; expiresAt: Date } | null;
  hasKey: boolean;
  hasBatch: boolean;
  /** When the oldest batch without a receipt was made; null if there is none or no oracle. */
  waitingSince: Date | null;
  /** Three intervals. */
  staleAfterMs: number;
}

export interface Assessment {
  status: PublisherStatus;
  reason: PublisherReason | null;
  state: TickState;
}

/** Failures, which need a person, come first; then a missing key, delays, and a log without batches. */
export function judge(facts: Facts): Assessment {
  const state = isAlive(facts) ? facts.state : withoutDeadTick(facts.state);
  const assessed = (status: PublisherStatus, reason: PublisherReason | null) => ({ status, reason, state });
  const { now, waitingSince, staleAfterMs } = facts;
  const isOld = (instant: Date) => now.getTime() - instant.getTime() > staleAfterMs;

  if (state.consecutiveFailures > 0) return assessed('failing', state.lastTick?.failure ?? 'internal');
  if (!facts.hasKey) return assessed('idle', 'no_key');
  const { lastTick, running } = state;
  const lastAt = lastTick?.finishedAt ?? lastTick?.startedAt ?? running?.startedAt;
  if (lastAt === undefined ? facts.hasBatch : isOld(lastAt)) return assessed('stale', 'no_tick');
  if (waitingSince !== null && isOld(waitingSince)) return assessed('stale', 'receipt_overdue');
  return facts.hasBatch ? assessed('ok', null) : assessed('idle', 'nothing_published');
}

/** Whether the tick in the state still holds its lease. */
function isAlive({ state, lease, now }: Facts): boolean {
  return lease !== null && lease.token === state.running?.token && lease.expiresAt > now;
}
