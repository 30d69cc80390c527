import { Decimal } from 'decimal.js';
import { leastAmount } from '../../outcome-days.rules.js';
import { utcDay } from '../../utc-day.rules.js';
import type { Intent, IntentOutcome } from './intent.js';
import { newIntent } from './registration/new-intent.rules.js';

const dayMs = 86_400_000;
/** An outcome can be disputed and recovered for 30 days; nothing of it is erased before that is over. */
export const erasableAfterDays = 32;

/** Why an intent cannot be erased yet. */
export type KeptReason =
  /** It has no outcome yet. */
  | 'open'
  /** Its outcome can still be disputed, or be recovered. */
  | 'recent'
  /** A dispute of it awaits its verdict. */
  | 'disputed'
  /** Another outcome of the same day has to stay, and they are counted together. */
  | 'same_day';

/** For each intent of one account, why it has to be kept; null where it can be erased. */
export function keptReasons(
  intents: readonly Intent[],
  { openDisputes, now }: { openDisputes: ReadonlySet<string>; now: Date },
): Map<string, KeptReason | null> {
  const own = new Map(intents.map((intent) => [intent._id, keptReason(intent, openDisputes, now)]));
  const heldDays = new Set(intents.filter(({ _id }) => own.get(_id) !== null).map(countedTogether));
  return new Map(
    intents.map((intent) => {
      const reason = own.get(intent._id) ?? null;
      return [intent._id, reason ?? (heldDays.has(countedTogether(intent)) ? 'same_day' : null)];
    }),
  );
}

function keptReason(intent: Intent, openDisputes: ReadonlySet<string>, now: Date): KeptReason | null {
  const { outcome, recoveredAt } = intent;
  if (outcome === null) return 'open';
  const lastMs = (recoveredAt ?? outcome.recordedAt).getTime();
  if (now.getTime() - lastMs < erasableAfterDays * dayMs) return 'recent';
  return openDisputes.has(intent._id) ? 'disputed' : null;
}

/** Key of the outcome's account-day, without the account, which is the same for all. An open intent has a key of its own. */
export function countedTogether({ anchorId, corridor, outcome, _id }: Intent): string {
  return outcome === null ? _id : `${anchorId} ${utcDay(outcome.recordedAt)} ${corridor}`;
}

/** In the order in which they count. */
export function inOrder(intents: readonly Intent[]): Intent[] {
  const at = ({ outcome }: Intent) => outcome?.recordedAt.getTime() ?? 0;
  return [...intents].sort((a, b) => at(a) - at(b) || (a._id < b._id ? -1 : 1));
}

/**
 * The anonymous remainder of an intent: what its outcome counts as and on which day, under a random id and a random account.
 * Whether an amount counts is kept, and not which: scores must not change. It is built from a new intent, so that no member
 * of the old one remains by oversight.
 */
export function remainderOf(intent: Intent, random: { intentHash: string; account: string }): Intent {
  const { anchorId, corridor, sellAmount, outcome, corridorTerms, recoveredAt } = intent;
  const counts = new Decimal(sellAmount).gte(leastAmount);
  const day = startOfDay(intent.createdAt);
  const neutral = newIntent({
    intentHash: random.intentHash,
    body: { corridor, anchorId, account: random.account, sellAmount: counts ? leastAmount : '1', nonce: '' },
    corridor: { id: corridor, ...corridorTerms },
    quote: null,
    nowMs: day.getTime(),
  });
  return {
    ...neutral,
    deadline: day,
    due: day,
    open: false,
    poll: 'never',
    status: intent.status,
    outcome: outcome === null ? null : remainingOutcome(outcome),
    recoveredAt: recoveredAt === null ? null : startOfDay(recoveredAt),
    unscoredReason: intent.unscoredReason,
    disputeEffect: intent.disputeEffect,
  };
}

function remainingOutcome(outcome: IntentOutcome): IntentOutcome {
  const { kind, reason, recordedAt, settleSeconds, timesKnown, shortfallPpb, evidence } = outcome;
  return {
    kind,
    reason,
    recordedAt: startOfDay(recordedAt),
    settleSeconds,
    shortfallPpb,
    amountOut: null,
    timesKnown,
    evidence,
  };
}

function startOfDay(instant: Date): Date {
  return new Date(`${utcDay(instant)}T00:00:00.000Z`);
}
