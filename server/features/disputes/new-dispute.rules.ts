import type { IntentDocument } from '../intents/intent-document.js';
import { effectOf, type Party } from './entitlement.rules.js';
import type { DisputeRecord } from './store.js';

/** A dispute as it is filed: of that outcome of the intent, by that key of that party. */
export function newDispute(filed: {
  id: string;
  intent: Pick<IntentDocument, '_id' | 'anchorId' | 'corridor'>;
  outcome: NonNullable<IntentDocument['outcome']>;
  party: Party;
  account: string;
  reason: string;
  now: Date;
}): DisputeRecord {
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
    createdAt: now,
    resolvedAt: null,
    audit: [{ at: now, action: 'filed', actor: account, note: null }],
  };
}
