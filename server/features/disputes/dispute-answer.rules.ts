import type { AdminDispute, DisputeAnswer } from '../../../contract/schemas/disputes.js';
import type { EventData } from '../../../contract/schemas/events.js';
import type { IntentDispute } from '../../../contract/schemas/intents.js';
import type { DisputeRecord } from './store.js';

export function toDisputeAnswer(dispute: DisputeRecord): DisputeAnswer {
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

export function toAdminDispute(dispute: DisputeRecord): AdminDispute {
  return {
    ...toDisputeAnswer(dispute),
    publicKey: dispute.publicKey,
    reason: dispute.reason,
    outcomeStatus: dispute.outcomeStatus,
    effect: dispute.effect,
    audit: dispute.audit.map(({ at, action, actor, note }) => ({
      at: at.toISOString(),
      action,
      actor,
      note,
    })),
  };
}

export function toIntentDispute(dispute: DisputeRecord): IntentDispute {
  return {
    disputeId: dispute._id,
    status: dispute.status,
    createdAt: dispute.createdAt.toISOString(),
    resolvedAt: dispute.resolvedAt?.toISOString() ?? null,
  };
}

/** What `dispute.created` and `dispute.resolved` carry. */
export function toEventData({ _id: disputeId, ...dispute }: DisputeRecord): EventData<'dispute.created'> {
  const { intentHash, anchorId, corridor, status } = dispute;
  return { disputeId, intentHash, anchorId, corridor, status };
}
