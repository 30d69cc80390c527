import type { Random } from '../../server/ports.js';
import type { Ending, Range, SettlementProfile } from './profiles.js';
import world from './world.json' with { type: 'json' };

/** One status change of a withdrawal, at an instant that was fixed when it was planned. */
export interface Step {
  atMs: number;
  status: string;
  /** What becomes of the money besides. */
  effect?: 'payout' | 'refund' | 'refund-old';
  message?: string;
}

/** Seconds, the same for all anchors; multiplied by the pace like those of the profiles. */
const formSeconds = 10;
const abandonSeconds = 86_400;
const pickUpSeconds = 1_800;

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
export function stepsUntilPayment(startedMs: number, pace: number): Step[] {
  const filledMs = startedMs + formSeconds * 1_000 * pace;
  const expiresMs = filledMs + abandonSeconds * 1_000 * pace;
  return [
    { atMs: filledMs, status: 'pending_user_transfer_start' },
    { atMs: expiresMs, status: 'expired', message: 'No payment arrived' },
  ];
}

/** A step after this share of the time that the anchor takes, and so many seconds. */
interface PlannedStep extends Omit<Step, 'atMs'> {
  share: number;
  seconds?: number;
}

/** What follows a payment, in order of time. */
export const stepsOfEnding = world.endings as Readonly<Record<Ending, readonly PlannedStep[]>>;

/** What follows a payment received at `paidMs`, and by how many parts per million the payout falls short. */
export function settlementOf(
  ending: Ending,
  paidMs: number,
  { settleSeconds, shortfallPpm }: SettlementProfile,
  { random, pace, isCash }: { random: Random; pace: number; isCash: boolean },
): { steps: Step[]; shortfallPpm: number } {
  const settles = drawFrom(settleSeconds, random);
  const steps = stepsOfEnding[ending].flatMap(({ share, seconds = 0, ...step }): Step[] => {
    const atMs = paidMs + Math.round((settles * share + seconds) * 1_000 * pace);
    if (!isCash || step.effect !== 'payout') return [{ ...step, atMs }];
    const ready = { ...step, status: 'pending_user_transfer_complete', message: 'Ready for pick-up' };
    return [
      { ...ready, atMs },
      { status: 'completed', atMs: atMs + pickUpSeconds * 1_000 * pace },
    ];
  });
  return { steps, shortfallPpm: Math.floor(drawFrom(shortfallPpm, random)) };
}

function drawFrom([low, high]: Range, random: Random): number {
  return low + random() * (high - low);
}
