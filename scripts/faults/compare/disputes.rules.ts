import type { DisputeDocument } from '../../../server/features/disputes/store.js';
import type { Intent } from '../../../server/features/intents/intent.js';
import { entriesOf, type LedgerEntry } from '../ledger-entries.js';
import type { Finding } from '../ports.js';
import { byKey, doubled } from './ids.rules.js';

/** Compares acknowledged disputes and decisions with the stored ones, both ways. */
export function compareDisputes(
  entries: readonly LedgerEntry[],
  disputes: readonly DisputeDocument[],
  intents: readonly Intent[],
): Finding[] {
  const found: Finding[] = [];
  const add = (id: string, what: string) => found.push({ of: 'disputes', id, what });
  const stored = byKey(disputes, ({ _id }) => _id);
  const disputed = byKey(intents, ({ _id }) => _id);
  const signed = ({ intentHash, publicKey }: { intentHash: string; publicKey: string }) =>
    `${intentHash} ${publicKey}`;
  const sent = new Set(entriesOf(entries, 'dispute_sent').map(signed));
  const decisions = entriesOf(entries, 'decision_sent');
  const sentDecisions = new Set(decisions.map(({ disputeId, status }) => `${disputeId} ${status}`));

  for (const { disputeId, intentHash, filedBy } of entriesOf(entries, 'dispute_acknowledged')) {
    const dispute = stored.get(disputeId);
    if (dispute === undefined) add(disputeId, 'It was acknowledged and is lost.');
    else if (dispute.intentHash !== intentHash || dispute.filedBy !== filedBy)
      add(
        disputeId,
        `It was acknowledged as that of the ${filedBy} of ${intentHash}, and is stored as another.`,
      );
  }
  for (const { disputeId, status } of entriesOf(entries, 'decision_acknowledged')) {
    const dispute = stored.get(disputeId);
    if (dispute !== undefined && dispute.status !== status)
      add(disputeId, `The decision ${status} was acknowledged; stored is ${dispute.status}.`);
  }
  for (const dispute of disputes) {
    const { _id, status, audit, effect, intentHash } = dispute;
    if (!sent.has(signed(dispute))) add(_id, 'It is stored, and nobody sent it.');
    if (status !== 'open' && !sentDecisions.has(`${_id} ${status}`))
      add(_id, `Nobody decided that it is ${status}.`);
    const actions = audit.map(({ action }) => action).join(', ');
    const expected = status === 'open' ? 'filed' : `filed, ${status}`;
    if (actions !== expected) add(_id, `Its audit trail says: ${actions}; it is ${status}.`);
    const kept = disputed.get(intentHash)?.disputeEffect ?? null;
    const due = status === 'accepted' ? effect : null;
    if (kept !== due) add(_id, `It is ${status}, and the intent keeps the effect ${kept}, not ${due}.`);
  }
  const party = ({ intentHash, filedBy }: DisputeDocument) => `${intentHash} ${filedBy}`;
  for (const doubles of doubled(disputes, party)) add(doubles, 'The party has several disputes.');
  return found;
}
