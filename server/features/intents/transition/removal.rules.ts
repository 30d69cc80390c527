import type { Intent } from '../intent.js';

const dayMs = 86_400_000;
/** An intent that never had a transaction. */
const withoutTransactionMs = 3 * dayMs;
/** One that had a transaction can be disputed for 30 days. */
const withTransactionMs = 31 * dayMs;

/** When the intent is removed: some days after it ended, where no funds were ever seen of it. */
export function removalOf({ outcome, observations }: Intent): Date | undefined {
  if (outcome?.kind !== 'expired' || observations.fundedAtMs !== null) return undefined;
  const keptMs = outcome.reason === 'no_transaction' ? withoutTransactionMs : withTransactionMs;
  return new Date(outcome.recordedAt.getTime() + keptMs);
}
