import type { AdminDispute } from '../../../contract/disputes.js';

export type Party = AdminDispute['filedBy'];
export type Effect = AdminDispute['effect'];

/** What the rules need to know of an intent. */
export interface DisputedIntent {
  account: string;
  hasTransaction: boolean;
  outcome: { kind: 'settled' | 'failed' | 'expired'; reason: string; recordedAt: Date } | null;
  recoveredAt: Date | null;
}

const windowMs = 30 * 24 * 3_600_000;

/**
 * Which party signs, or null for a stranger. Whoever is favoured by the outcome has nothing to dispute: the account
 * objects to what counts for the anchor (settled, or expired although a transaction was attached), the anchor to
 * what counts against it (failed). While there is no outcome, both are known parties.
 */
export function entitledParty(
  intent: DisputedIntent,
  signer: string,
  anchorKey: string | null,
): Party | null {
  const kind = intent.outcome?.kind;
  const account = kind === undefined || kind === 'settled' || (kind === 'expired' && intent.hasTransaction);
  if (signer === intent.account && account) return 'account';
  if (signer === anchorKey && (kind === undefined || kind === 'failed')) return 'anchor';
  return null;
}

/** Whether the outcome, or the recovery that replaced it, is at most 30 days old. */
export function isWithinWindow(intent: DisputedIntent, nowMs: number): boolean {
  const since = intent.recoveredAt ?? intent.outcome?.recordedAt;
  return since !== undefined && nowMs - since.getTime() <= windowMs;
}

/**
 * What accepting makes of the outcome. The account is believed that it was not paid. The anchor is believed that it
 * did pay; where it sent the funds back, it did not pay either, but the fault was not its own.
 */
export function effectOf(outcome: { kind: 'settled' | 'failed' | 'expired'; reason: string }): Effect {
  if (outcome.kind !== 'failed') return 'counts_not_filled';
  return outcome.reason === 'refunded' ? 'not_counted' : 'counts_filled';
}
