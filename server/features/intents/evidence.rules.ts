import type { OutcomeEvidence } from '../../../contract/schemas/intents.js';
import type { PaymentState } from './payment.js';

/**
 * The evidence that an outcome rests on. Where a ledger is configured but does not show the payment, the outcome is
 * `unverified` and counts in no score (reputation/what-counts.rules.ts).
 */
export function evidenceOf(
  { found }: Pick<PaymentState, 'found'>,
  { ledger }: { ledger: boolean },
): OutcomeEvidence {
  if (found !== null) return 'ledger';
  return ledger ? 'unverified' : 'anchor';
}
