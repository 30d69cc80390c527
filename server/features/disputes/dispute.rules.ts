import type { AdminDispute, DisputeAnswer } from '../../../contract/schemas/disputes.js';
import type { EventData } from '../../../contract/schemas/events.js';
import {
  type DisputableIntent,
  effectOf,
  mayDispute,
  type Outcome,
  type Party,
} from './entitlement.rules.js';
import type { DisputeDocument } from './store.js';

/** A dispute as it is filed: against that outcome of the intent, by that party with that key. */
export function newDispute(filed: {
  id: string;
  intent: Pick<DisputableIntent, '_id' | 'anchorId' | 'corridor' | 'outcome' | 'observations'>;
  outcome: Outcome;
  party: Party;
  account: string;
  reason: string;
  now: Date;
}): DisputeDocument {
  const { id, intent, outcome, party, account, reason, now } = filed;
  return {
    _id: id,
    intentHash: intent._id,
    anchorId: intent.anchorId,
    corridor: intent.corridor,
    filedBy: party,
    publicKey: account,
    reason,
    status: 'open',
    outcomeStatus: outcome.kind,
    effect: effectOf(outcome),
    // Nothing but the account says that the transaction exists: every other outcome rests on a record.
    unsupported: outcome.kind === 'expired' && intent.observations.firstAtMs === null,
    createdAt: now,
    resolvedAt: null,
    audit: [{ at: now, action: 'filed', actor: account, note: null, evidence: null }],
  };
}

/**
 * Whether the dispute still has an outcome to overrule. It has none where the anchor has recovered the failure since; it
 * has one where an expired intent has settled, since its account has no other dispute.
 */
export function concerns(
  { filedBy, outcomeStatus }: Pick<DisputeDocument, 'filedBy' | 'outcomeStatus'>,
  intent: Pick<DisputableIntent, 'outcome' | 'transactionId'>,
): boolean {
  if (intent.outcome === null) return false;
  return intent.outcome.kind === outcomeStatus || mayDispute(filedBy, intent);
}

export function toDisputeAnswer(dispute: DisputeDocument): DisputeAnswer {
  const { _id: id, status, intentHash, anchorId, corridor, filedBy, createdAt, resolvedAt } = dispute;
  return {
    id,
    status,
    intentHash,
    anchorId,
    corridor,
    filedBy,
    createdAt: createdAt.toISOString(),
    resolvedAt: resolvedAt?.toISOString() ?? null,
  };
}

export function toAdminDispute(dispute: DisputeDocument, effect: AdminDispute['effect']): AdminDispute {
  const { publicKey, reason, outcomeStatus, unsupported, audit } = dispute;
  return {
    ...toDisputeAnswer(dispute),
    publicKey,
    reason,
    outcomeStatus,
    support: unsupported ? 'unsupported' : 'supported',
    effect,
    audit: audit.map((entry) => ({ ...entry, at: entry.at.toISOString() })),
  };
}

/** What `dispute.resolved` carries, and `dispute.created` besides the reason. */
export function toEventData({ _id: disputeId, ...dispute }: DisputeDocument): EventData<'dispute.resolved'> {
  const { intentHash, anchorId, corridor, status } = dispute;
  return { disputeId, intentHash, anchorId, corridor, status };
}
