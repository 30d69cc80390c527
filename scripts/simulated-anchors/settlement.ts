import type { Random } from '../../server/ports.js';
import type { Ending, Range, SettlementProfile } from './profiles.js';

/** The effect of a step on the money, besides the status. */
export type StepEffect = 'payout' | 'refund' | 'refund-old';

/** One status change of a withdrawal, at an instant that was fixed when it was planned. */
export interface Step {
  atMs: number;
  status: string;
  effect?: StepEffect | undefined;
  message?: string | undefined;
}

/** Seconds, the same for all anchors; multiplied by the pace like those of the profiles. */
export const delays = {
  /** From the request to the end of the interactive form. */
  form: [5, 20],
  /** From the form until the wait for a payment ends. */
  abandon: [86_400, 86_400],
  hold: [1_200, 7_200],
  /** From `error` until the anchor resumes. */
  recovery: [900, 7_200],
  pickUp: [600, 7_200],
} as const satisfies Record<string, Range>;

/** A random duration from the range, in milliseconds at that pace. */
export function drawMs([low, high]: Range, random: Random, pace: number): number {
  return Math.round((low + random() * (high - low)) * 1000 * pace);
}

/** Draws an ending by its weight. */
export function drawEnding({ endings }: SettlementProfile, random: Random): Ending {
  const weighted = Object.entries(endings) as [Ending, number][];
  const total = weighted.reduce((sum, [, weight]) => sum + weight, 0);
  let left = random() * total;
  for (const [ending, weight] of weighted) {
    left -= weight;
    if (left < 0) return ending;
  }
  return 'complete';
}

/** A random whole number of parts per million from the range. */
export function drawPpm([low, high]: Range, random: Random): number {
  return low + Math.floor(random() * (high - low + 1));
}

/** What follows the request when nobody pays: the form is filled in, then the withdrawal expires. */
export function stepsUntilPayment(startedMs: number, random: Random, pace: number): Step[] {
  const filledMs = startedMs + drawMs(delays.form, random, pace);
  return [
    { atMs: filledMs, status: 'pending_user_transfer_start' },
    {
      atMs: filledMs + drawMs(delays.abandon, random, pace),
      status: 'expired',
      message: 'No payment arrived',
    },
  ];
}

/** The durations of one settlement, in milliseconds. */
export interface SettlementTimes {
  settleMs: number;
  holdMs: number;
  recoveryMs: number;
  /** Null where the payout is not cash. */
  pickUpMs: number | null;
}

function paidOut(atMs: number, { pickUpMs }: SettlementTimes): Step[] {
  if (pickUpMs === null) return [{ atMs, status: 'completed', effect: 'payout' }];
  return [
    { atMs, status: 'pending_user_transfer_complete', effect: 'payout', message: 'Ready for pick-up' },
    { atMs: atMs + pickUpMs, status: 'completed' },
  ];
}

/** What follows a payment received at `paidMs`, step by step in order of time. */
export function stepsAfterPayment(ending: Ending, paidMs: number, times: SettlementTimes): Step[] {
  const { settleMs, holdMs, recoveryMs } = times;
  const doneMs = paidMs + settleMs;
  const sent: Step = { atMs: paidMs + Math.round(settleMs * 0.4), status: 'pending_external' };
  const failed: Step = { atMs: doneMs, status: 'error', message: 'The payout was rejected' };
  switch (ending) {
    case 'complete':
      return [sent, ...paidOut(doneMs, times)];
    case 'refund':
      return [sent, { atMs: doneMs, status: 'refunded', effect: 'refund' }];
    case 'refund-old-error':
      return [sent, { ...failed, effect: 'refund-old', message: 'Refunded' }];
    case 'refund-old-completed':
      return [sent, { atMs: doneMs, status: 'completed', effect: 'refund-old', message: 'Refunded' }];
    case 'fail':
      return [sent, failed];
    case 'recover': {
      const resumedMs = doneMs + recoveryMs;
      return [
        sent,
        failed,
        { atMs: resumedMs, status: 'pending_anchor' },
        ...paidOut(resumedMs + Math.round(settleMs * 0.3), times),
      ];
    }
    case 'hold': {
      const heldMs = paidMs + Math.round(settleMs * 0.2);
      return [
        { atMs: heldMs, status: 'on_hold', message: 'Held for review' },
        { atMs: heldMs + holdMs, status: 'pending_external' },
        ...paidOut(doneMs + holdMs, times),
      ];
    }
    case 'stuck':
      return [sent];
    case 'vanish':
    case 'forget':
      return [];
  }
}
