import { intentsExamples } from '../../../contract/examples/intents.js';
import type { IntentAnswer } from '../../../contract/schemas/intents.js';

const settled = intentsExamples.getIntent.answer as IntentAnswer;
const { transaction, payment, outcome } = settled;
if (transaction === null || payment?.found == null || outcome === null)
  throw new Error('The example of an intent is settled.');

/** The parts of an intent that settled with its payment verified on the ledger. */
export const settledParts = { transaction, payment, outcome };

/** A pending intent without a transaction, with the given parts replaced. */
export function intentWith(parts: Partial<IntentAnswer> = {}): IntentAnswer {
  const steps = settled.steps.slice(0, 1);
  return { ...settled, status: 'pending', transaction: null, payment: null, outcome: null, steps, ...parts };
}
