import { Decimal } from 'decimal.js';
import { keyOfDay, leastAmount, utcDay } from '../../outcome-days.rules.js';
import type { Intent } from './intent.js';
import { newIntent } from './registration/new-intent.rules.js';

const dayMs = 86_400_000;
/** An outcome can be disputed and recovered for 30 days; nothing of it is erased before that is over. */
const erasableAfterDays = 32;

/** Why an intent cannot be erased yet. */
export type KeptReason =
  /** It has no outcome yet. */
  | 'open'
  /** Its outcome can still be disputed, or be recovered. */
  | 'recent'
  /** A dispute of it awaits its verdict. */
  | 'disputed';

/** Null where it can be erased. */
export function keptReason(
  { _id, outcome, recoveredAt }: Intent,
  openDisputes: ReadonlySet<string>,
  now: Date,
): KeptReason | null {
  if (outcome === null) return 'open';
  const lastMs = (recoveredAt ?? outcome.recordedAt).getTime();
  if (now.getTime() - lastMs < erasableAfterDays * dayMs) return 'recent';
  return openDisputes.has(_id) ? 'disputed' : null;
}

/** The intents of one account by what is counted together, and can only be erased together; an open one is by itself. */
export function accountDays(intents: readonly Intent[]): Intent[][] {
  const days = new Map<string, Intent[]>();
  for (const intent of intents) {
    const { _id, anchorId, corridor, outcome } = intent;
    const key = outcome === null ? _id : keyOfDay({ anchorId, corridor, day: utcDay(outcome.recordedAt) });
    days.set(key, [...(days.get(key) ?? []), intent]);
  }
  return [...days.values()];
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
    status: intent.status,
    outcome: outcome && { ...outcome, recordedAt: startOfDay(outcome.recordedAt), amountOut: null },
    recoveredAt: recoveredAt === null ? null : startOfDay(recoveredAt),
    unscoredReason: intent.unscoredReason,
    disputeEffect: intent.disputeEffect,
  };
}

function startOfDay(instant: Date): Date {
  return new Date(`${utcDay(instant)}T00:00:00.000Z`);
}
