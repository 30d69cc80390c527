import type { AdminDispute } from '../../../contract/schemas/disputes.js';
import type { IntentDocument } from '../intents/intent-document.js';

export type Party = AdminDispute['filedBy'];
export type Effect = AdminDispute['effect'];

type Outcome = NonNullable<IntentDocument['outcome']>;

const windowMs = 30 * 24 * 3_600_000;

type Disputed = Pick<IntentDocument, 'account' | 'transactionId' | 'outcome'>;

/**
 * Whoever is favoured by the outcome has nothing to dispute: the account objects to what counts for the anchor (settled,
 * or expired although a transaction was attached), the anchor to what counts against it (failed). While there is no
 * outcome, either may turn out to be the one.
 */
export function mayDispute(party: Party, { outcome, transactionId }: Disputed): boolean {
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

/** The party that signs, as far as it may dispute the outcome; null for anyone else. */
export function entitledParty(intent: Disputed, signer: string, anchorKey: string | null): Party | null {
  if (signer === intent.account && mayDispute('account', intent)) return 'account';
  if (signer === anchorKey && mayDispute('anchor', intent)) return 'anchor';
  return null;
}

/** Whether the outcome, or the recovery that replaced it, is at most 30 days old. */
export function isWithinWindow(
  { outcome, recoveredAt }: Pick<IntentDocument, 'outcome' | 'recoveredAt'>,
  now: Date,
): boolean {
  const since = recoveredAt ?? outcome?.recordedAt;
  return since !== undefined && now.getTime() - since.getTime() <= windowMs;
}

/**
 * What accepting makes of the outcome. The account is believed that it was not paid. The anchor is believed that it
 * did pay; where it sent the funds back, it did not pay either, but the fault was not its own.
 */
export function effectOf({ kind, reason }: Pick<Outcome, 'kind' | 'reason'>): Effect {
  if (kind !== 'failed') return 'counts_not_filled';
  return reason === 'refunded' ? 'not_counted' : 'counts_filled';
}
