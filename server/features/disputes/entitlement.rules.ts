import type { AdminDispute, VerdictEffect } from '../../../contract/schemas/disputes.js';
import type { Intent } from '../intents/intent.js';

export type Party = AdminDispute['filedBy'];
export type Effect = VerdictEffect;

export type Outcome = NonNullable<Intent['outcome']>;

/** All that a dispute needs to know about an intent. */
export type DisputableIntent = Pick<
  Intent,
  '_id' | 'anchorId' | 'corridor' | 'account' | 'transactionId' | 'outcome' | 'recoveredAt' | 'observations'
>;

const windowMs = 30 * 24 * 3_600_000;

/**
 * A party may not dispute an outcome in its favour. The account may dispute what counts for the anchor (settled, or
 * expired although a transaction was attached), the anchor what counts against it (failed). While there is no outcome,
 * either may turn out to be entitled.
 */
export function mayDispute(
  party: Party,
  { outcome, transactionId }: Pick<DisputableIntent, 'outcome' | 'transactionId'>,
): boolean {
  switch (outcome?.kind) {
    case undefined:
      return true;
    case 'settled':
      return party === 'account';
    case 'expired':
      return party === 'account' && transactionId !== undefined;
    case 'failed':
      return party === 'anchor';
  }
}

/** The signer's party, if it may dispute the outcome; null for anyone else. */
export function entitledParty(
  intent: Pick<DisputableIntent, 'account' | 'outcome' | 'transactionId'>,
  signer: string,
  anchorKey: string | null,
): Party | null {
  if (signer === intent.account && mayDispute('account', intent)) return 'account';
  if (signer === anchorKey && mayDispute('anchor', intent)) return 'anchor';
  return null;
}

/** Whether the outcome, or the recovery that replaced it, is at most 30 days old. */
export function isWithinWindow(
  { outcome, recoveredAt }: Pick<DisputableIntent, 'outcome' | 'recoveredAt'>,
  now: Date,
): boolean {
  const since = recoveredAt ?? outcome?.recordedAt;
  return since !== undefined && now.getTime() - since.getTime() <= windowMs;
}

/**
 * How the outcome counts once the dispute is accepted. An account that disputes says it was not paid, so the outcome
 * counts as not filled. An anchor that disputes says it did pay, so it counts as filled; where the anchor sent the funds
 * back, nobody was paid, but through no fault of its own, so it does not count.
 */
export function effectOf({ kind, reason }: Pick<Outcome, 'kind' | 'reason'>): Effect {
  if (kind !== 'failed') return 'counts_not_filled';
  return reason === 'refunded' ? 'not_counted' : 'counts_filled';
}
