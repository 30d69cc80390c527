import type { OutcomeEvidence } from '../../../contract/schemas/intents.js';
import type { PaymentState } from './payment.js';

/**
 * On whose word an outcome rests. Where a ledger is configured and does not show the payment, it is unverified, and counts in
 * no score (reputation/what-counts.rules.ts).
 */
export function evidenceOf(
  { found }: Pick<PaymentState, 'found'>,
  { ledger }: { ledger: boolean },
): OutcomeEvidence {
  if (found !== null) return 'ledger';
  return ledger ? 'unverified' : 'anchor';
}
