import type { IntentState } from './transition.rules.js';

const dayMs = 86_400_000;
/** An intent that never had a transaction. */
const withoutTransactionMs = 3 * dayMs;
/** One that had a transaction can be disputed for 30 days. */
const withTransactionMs = 31 * dayMs;

/** When an intent of this state is removed: some days after it ended, where no funds were ever seen of it. */
export function removalOf({ ending, observations }: IntentState): { removeAt: Date | undefined } {
  if (ending?.status !== 'expired' || observations.fundedAtMs !== null) return { removeAt: undefined };
  const keptMs = ending.reason === 'no_transaction' ? withoutTransactionMs : withTransactionMs;
  return { removeAt: new Date(ending.recordedAtMs + keptMs) };
}
