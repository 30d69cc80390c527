import type { TransactionProblem, UnscoredReason } from '../../../../contract/schemas/intents.js';
import { type EligibilityTerms, identityFault } from './eligibility.rules.js';
import type { TransactionRecord } from './sep-record.rules.js';

/** The faults of a record by which the wallet recognises that it attached a wrong id. */
const problemsByFault = {
  not_a_withdrawal: 'not_a_withdrawal',
  sender_mismatch: 'other_account',
  asset_mismatch: 'other_asset',
} as const satisfies Partial<Record<UnscoredReason, TransactionProblem>>;

type Fault = keyof typeof problemsByFault;

const faults = Object.keys(problemsByFault) as Fault[];

const isAmount = (member: string) => /^(refunds\.)?amount_/.test(member);

/**
 * The problem that the latest record shows with the attached id; null where there is none. Unlike the reason for not
 * scoring, which the records up to the payment decide, it always follows the latest record. `before` is the problem so far
 * (undefined before the first record); it is used for the members that this record omits.
 */
export function problemOf(
  record: TransactionRecord,
  terms: EligibilityTerms,
  before: TransactionProblem | null | undefined,
): TransactionProblem | null {
  const faultBefore =
    before === undefined ? undefined : (faults.find((fault) => problemsByFault[fault] === before) ?? null);
  const found = identityFault(record, terms, faultBefore);
  const fault = faults.find((each) => each === found);
  if (fault !== undefined) return problemsByFault[fault];
  return record.unreadable.some(isAmount) ? 'unreadable_amount' : null;
}
