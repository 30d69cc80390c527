import type { Intent } from '../../../server/features/intents/intent.js';
import { entriesOf, type IntentTerms, type LedgerEntry } from '../ledger-entries.js';
import type { Finding } from '../ports.js';
import { byKey, doubled } from './ids.rules.js';

/** Compares the acknowledged data of intents with the stored intents, both ways. */
export function compareIntents(entries: readonly LedgerEntry[], intents: readonly Intent[]): Finding[] {
  const found: Finding[] = [];
  const add = (id: string, what: string) => found.push({ of: 'intents', id, what });
  const stored = byKey(intents, ({ _id }) => _id);
  const sent = new Set(entriesOf(entries, 'intent_sent').map(({ intentHash }) => intentHash));

  for (const acknowledged of entriesOf(entries, 'intent_acknowledged')) {
    const { intentHash } = acknowledged;
    const intent = stored.get(intentHash);
    if (intent === undefined) add(intentHash, 'It was acknowledged and is lost.');
    else if (!hasTerms(intent, acknowledged))
      add(intentHash, 'It is stored with other terms than acknowledged.');
  }
  for (const { intentHash, transactionId, paymentHash } of entriesOf(entries, 'transaction_acknowledged')) {
    const intent = stored.get(intentHash);
    if (intent === undefined) continue;
    if (transactionId !== undefined && intent.transactionId !== transactionId)
      add(
        intentHash,
        `The transaction ${transactionId} was acknowledged; stored is ${intent.transactionId}.`,
      );
    if (paymentHash !== undefined && !namesPayment(intent, paymentHash))
      add(intentHash, `The payment ${paymentHash} was acknowledged and is lost.`);
  }
  for (const { intentHash, status, reason, recordedAt } of entriesOf(entries, 'outcome_told')) {
    const intent = stored.get(intentHash);
    if (intent === undefined) continue;
    const { outcome, recoveredAt } = intent;
    const isSame = intent.status === status && outcome?.reason === reason;
    const isRecovered = status === 'failed' && intent.status === 'settled' && recoveredAt !== null;
    const told = `The outcome ${status} (${reason}) of ${recordedAt} was told`;
    if (outcome === null || !(isSame || isRecovered))
      add(intentHash, `${told}; stored is ${intent.status} (${outcome?.reason}).`);
    else if (outcome.recordedAt.toISOString() !== recordedAt)
      add(intentHash, `${told}; stored is one of ${outcome.recordedAt.toISOString()}.`);
  }
  for (const { _id } of intents) if (!sent.has(_id)) add(_id, 'It is stored, and nobody sent it.');
  const twiceNew = entriesOf(entries, 'intent_acknowledged').filter(({ isNew }) => isNew);
  for (const hash of doubled(twiceNew, ({ intentHash }) => intentHash))
    add(hash, 'It was acknowledged as new twice.');
  const followed = ({ anchorId, transactionId }: Intent) => transactionId && `${anchorId} ${transactionId}`;
  for (const transaction of doubled(intents, followed))
    add(transaction, 'Several intents follow this transaction.');
  for (const payment of doubled(intents, ({ paymentId }) => paymentId))
    add(payment, 'Several intents were paid by this payment.');
  return found;
}

function hasTerms(intent: Intent, { anchorId, corridor, account, sellAmount }: IntentTerms): boolean {
  const terms = [anchorId, corridor, account, sellAmount];
  return terms.join(' ') === [intent.anchorId, intent.corridor, intent.account, intent.sellAmount].join(' ');
}

function namesPayment({ payment }: Intent, hash: string): boolean {
  return payment.found?.hash === hash || payment.named.some((named) => named.hash === hash);
}
