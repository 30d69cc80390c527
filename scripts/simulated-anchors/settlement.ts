import type { Random } from '../../server/ports.js';
import type { Ending, Range, SettlementProfile } from './profiles.js';

/** One status change of a withdrawal, at an instant that was fixed when it was planned. */
export interface Step {
  atMs: number;
  status: string;
  /** What becomes of the money besides. */
  effect?: 'payout' | 'refund' | 'refund-old' | undefined;
  message?: string | undefined;
}

/** Seconds, the same for all anchors; multiplied by the pace like those of the profiles. */
const delays = {
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
function drawMs([low, high]: Range, random: Random, pace: number): number {
  return Math.round((low + random() * (high - low)) * 1000 * pace);
}

/** Draws an ending by its weight. */
export function drawEnding({ endings }: SettlementProfile, random: Random): Ending {
  const weighted = Object.entries(endings) as [Ending, number][];
  let left = random() * weighted.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [ending, weight] of weighted) {
    left -= weight;
    if (left < 0) return ending;
  }
  return 'complete';
}

/** What follows the request when nobody pays: the form is filled in, then the withdrawal expires. */
export function stepsUntilPayment(startedMs: number, random: Random, pace: number): Step[] {
  const filledMs = startedMs + drawMs(delays.form, random, pace);
  const expiresMs = filledMs + drawMs(delays.abandon, random, pace);
  return [
    { atMs: filledMs, status: 'pending_user_transfer_start' },
    { atMs: expiresMs, status: 'expired', message: 'No payment arrived' },
  ];
}

/** The instants and durations of one settlement, in milliseconds. */
interface Times {
  paidMs: number;
  settleMs: number;
  doneMs: number;
  holdMs: number;
  recoveryMs: number;
  /** Null where the payout is not cash. */
  pickUpMs: number | null;
}

function paidOut(atMs: number, { pickUpMs }: Times): Step[] {
  if (pickUpMs === null) return [{ atMs, status: 'completed', effect: 'payout' }];
  return [
    { atMs, status: 'pending_user_transfer_complete', effect: 'payout', message: 'Ready for pick-up' },
    { atMs: atMs + pickUpMs, status: 'completed' },
  ];
}

const sent = ({ paidMs, settleMs }: Times): Step => ({
  atMs: paidMs + Math.round(settleMs * 0.4),
  status: 'pending_external',
});
const failed = ({ doneMs }: Times): Step => ({
  atMs: doneMs,
  status: 'error',
  message: 'The payout was rejected',
});
const refundedOld = { effect: 'refund-old', message: 'Refunded' } as const;

/** What follows a payment, step by step in order of time. */
export const stepsOfEnding: Readonly<Record<Ending, (times: Times) => Step[]>> = {
  complete: (times) => [sent(times), ...paidOut(times.doneMs, times)],
  refund: (times) => [sent(times), { atMs: times.doneMs, status: 'refunded', effect: 'refund' }],
  'refund-old-error': (times) => [sent(times), { ...failed(times), ...refundedOld }],
  'refund-old-completed': (times) => [
    sent(times),
    { atMs: times.doneMs, status: 'completed', ...refundedOld },
  ],
  fail: (times) => [sent(times), failed(times)],
  recover(times) {
    const resumedMs = times.doneMs + times.recoveryMs;
    const resumed = { atMs: resumedMs, status: 'pending_anchor' };
    return [
      sent(times),
      failed(times),
      resumed,
      ...paidOut(resumedMs + Math.round(times.settleMs * 0.3), times),
    ];
  },
  hold(times) {
    const heldMs = times.paidMs + Math.round(times.settleMs * 0.2);
    return [
      { atMs: heldMs, status: 'on_hold', message: 'Held for review' },
      { atMs: heldMs + times.holdMs, status: 'pending_external' },
      ...paidOut(times.doneMs + times.holdMs, times),
    ];
  },
  stuck: (times) => [sent(times)],
  vanish: () => [],
  forget: () => [],
};

/** What follows a payment received at `paidMs`, and by how many parts per million the payout falls short. */
export function settlementOf(
  ending: Ending,
  paidMs: number,
  { settleSeconds, shortfallPpm: [least, most] }: SettlementProfile,
  { random, pace, isCash }: { random: Random; pace: number; isCash: boolean },
): { steps: Step[]; shortfallPpm: number } {
  const shortfallPpm = least + Math.floor(random() * (most - least + 1));
  const settleMs = drawMs(settleSeconds, random, pace);
  const steps = stepsOfEnding[ending]({
    paidMs,
    settleMs,
    doneMs: paidMs + settleMs,
    holdMs: drawMs(delays.hold, random, pace),
    recoveryMs: drawMs(delays.recovery, random, pace),
    pickUpMs: isCash ? drawMs(delays.pickUp, random, pace) : null,
  });
  return { steps, shortfallPpm };
}
