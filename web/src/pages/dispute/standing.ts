import type { IntentAnswer } from '@fairlead/contract/client';

/** Who may dispute the outcome of an intent, and until when. */
export type Standing =
  /** There is no outcome yet. */
  | { kind: 'unresolved' }
  /** It expired without a transaction, so nobody is held responsible. */
  | { kind: 'nobody' }
  /** It is disputed: by the party that it goes against, which may do so once, or by the other one and still open. */
  | { kind: 'disputed' }
  /** The 30 days are over. */
  | { kind: 'closed'; party: Party; until: string }
  | { kind: 'open'; party: Party; until: string };

/** The party that an outcome goes against: the wallet's account, or the anchor. */
export type Party = 'account' | 'anchor';

const windowMs = 30 * 86_400_000;

/** The rules of docs/disputes.md; the service has the final say. */
export function standingOf({ outcome, transaction, dispute }: IntentAnswer, now: number): Standing {
  if (outcome === null) return { kind: 'unresolved' };
  if (outcome.status === 'expired' && !isAttached(transaction)) return { kind: 'nobody' };
  const party = outcome.status === 'failed' ? 'anchor' : 'account';
  const sinceMs = Date.parse(outcome.recoveredAt ?? outcome.recordedAt);
  // A dispute from before a recovery was the anchor's, of the failure.
  if (dispute !== null && (dispute.status === 'open' || Date.parse(dispute.createdAt) >= sinceMs))
    return { kind: 'disputed' };
  const untilMs = sinceMs + windowMs;
  return { kind: now <= untilMs ? 'open' : 'closed', party, until: new Date(untilMs).toISOString() };
}

/** A transaction that another intent follows is only claimed. */
function isAttached(transaction: IntentAnswer['transaction']): boolean {
  const problem = transaction?.problem;
  return problem !== undefined && problem !== 'held_by_another' && problem !== 'passed_to_another';
}
