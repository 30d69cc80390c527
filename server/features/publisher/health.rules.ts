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
export function withoutDeadTick(state: TickState): TickState {
  if (state.running === null) return state;
  const { startedAt } = state.running;
  return endTick(state, { startedAt, finishedAt: null, result: null, failure: 'interrupted' });
}

/** The state as a tick begins. A tick still marked as running belonged to a holder whose lease is gone. */
export function beginTick(state: TickState, running: { token: number; startedAt: Date }): TickState {
  return { ...withoutDeadTick(state), running };
}

/** The state as the tick ends. Null for a tick that was stopped halfway: it neither failed nor succeeded. */
export function endTick(state: TickState, note: TickNote | null): TickState {
  if (note === null) return { ...state, running: null };
  const { result, startedAt, failure } = note;
  const held = result === 'held' ? (state.heldSince ?? startedAt) : null;
  return {
    running: null,
    lastTick: note,
    // A tick that ended without a result says nothing about the log.
    heldSince: result === null ? state.heldSince : held,
    consecutiveFailures: failure === null ? 0 : state.consecutiveFailures + 1,
  };
}

/** The facts that health is computed from. */
export interface Facts {
  now: Date;
  /** Without a tick that died. */
  state: TickState;
  hasKey: boolean;
  hasBatch: boolean;
  /** When the oldest batch without a receipt was made; null if there is none or no oracle. */
  waitingSince: Date | null;
  /** Three intervals. */
  staleAfterMs: number;
}

/** Failures, which need a person, come first; then a missing key, delays, and a log without batches. */
export function judge(facts: Facts): { status: PublisherStatus; reason: PublisherReason | null } {
  const { now, waitingSince, staleAfterMs, hasBatch } = facts;
  const { lastTick, running, consecutiveFailures } = facts.state;
  const isOld = (instant: Date) => now.getTime() - instant.getTime() > staleAfterMs;
  if (consecutiveFailures > 0) return { status: 'failing', reason: lastTick?.failure ?? 'internal' };
  if (!facts.hasKey) return { status: 'idle', reason: 'no_key' };
  const lastAt = lastTick?.finishedAt ?? lastTick?.startedAt ?? running?.startedAt;
  if (lastAt === undefined ? hasBatch : isOld(lastAt)) return { status: 'stale', reason: 'no_tick' };
  if (waitingSince !== null && isOld(waitingSince)) return { status: 'stale', reason: 'receipt_overdue' };
  return hasBatch ? { status: 'ok', reason: null } : { status: 'idle', reason: 'nothing_published' };
}
