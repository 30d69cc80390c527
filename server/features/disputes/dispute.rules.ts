import type { AdminDispute, DisputeAnswer } from '../../../contract/schemas/disputes.js';
import type { EventData } from '../../../contract/schemas/events.js';
import type { Intent } from '../intents/intent.js';
import {
  type DisputableIntent,
  effectOf,
  mayDispute,
  type Outcome,
  type Party,
} from './entitlement.rules.js';
import type { DisputeDocument } from './store.js';
import { isUnsupported } from './unsupported.rules.js';

export type Support = AdminDispute['support'];

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
    ...(isUnsupported(intent) ? { unsupported: true as const } : {}),
    createdAt: now,
    resolvedAt: null,
    audit: [{ at: now, action: 'filed', actor: account, note: null, evidence: null }],
  };
}

export function toDisputeAnswer(dispute: DisputeDocument): DisputeAnswer {
  return {
    id: dispute._id,
    status: dispute.status,
    intentHash: dispute.intentHash,
    anchorId: dispute.anchorId,
    corridor: dispute.corridor,
    filedBy: dispute.filedBy,
    createdAt: dispute.createdAt.toISOString(),
    resolvedAt: dispute.resolvedAt?.toISOString() ?? null,
  };
}

/**
 * Whether the dispute still has an outcome to overrule. It has none where the anchor has recovered the failure since; it
 * has one where an expired intent has settled, since its account has no other dispute.
 */
export function concerns(
  { filedBy, outcomeStatus }: Pick<DisputeDocument, 'filedBy' | 'outcomeStatus'>,
  intent: Pick<Intent, 'outcome' | 'transactionId'>,
): boolean {
  if (intent.outcome === null) return false;
  return intent.outcome.kind === outcomeStatus || mayDispute(filedBy, intent);
}

/**
 * Whether accepting the dispute has an effect, or had one that still holds. An accepted dispute had none where the anchor
 * had recovered the failure, and its effect no longer holds once another dispute overruled it.
 */
export function applies(
  dispute: Pick<DisputeDocument, 'status' | 'effect' | 'outcomeStatus' | 'filedBy'>,
  intent: Pick<Intent, 'outcome' | 'disputeEffect' | 'transactionId'>,
): boolean {
  if (dispute.status === 'accepted') return intent.disputeEffect === dispute.effect;
  return concerns(dispute, intent);
}

export function toAdminDispute(dispute: DisputeDocument, effect: AdminDispute['effect']): AdminDispute {
  return {
    ...toDisputeAnswer(dispute),
    publicKey: dispute.publicKey,
    reason: dispute.reason,
    outcomeStatus: dispute.outcomeStatus,
    support: supportOf(dispute),
    effect,
    audit: dispute.audit.map(({ at, action, actor, note, evidence }) => ({
      at: at.toISOString(),
      action,
      actor,
      note,
      evidence: evidence ?? null,
    })),
  };
}

function supportOf({ unsupported }: Pick<DisputeDocument, 'unsupported'>): Support {
  return unsupported ? 'unsupported' : 'supported';
}

/** What `dispute.resolved` carries, and `dispute.created` besides the reason. */
export function toEventData({ _id: disputeId, ...dispute }: DisputeDocument): EventData<'dispute.resolved'> {
  const { intentHash, anchorId, corridor, status } = dispute;
  return { disputeId, intentHash, anchorId, corridor, status };
}
