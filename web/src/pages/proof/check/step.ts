/** The steps of a check, in their order. */
export const stepIds = [
  'form',
  'asked',
  'leaf',
  'path',
  'entries',
  'header',
  'key',
  'signature',
  'chain',
  'memory',
  'receipt',
  'score',
] as const;
export type StepId = (typeof stepIds)[number];

/** `open`: there was nothing to hold it against, and the step says why. */
export type StepStatus = 'held' | 'failed' | 'open';

/** Why a step failed: the faults of the contract package, and those of what surrounds it. */
export type Fault =
  | 'malformed_header'
  | 'broken_chain'
  | 'unknown_formula'
  | 'unknown_key'
  | 'not_own_key'
  | 'malformed_key'
  | 'bad_signature'
  | 'size_mismatch'
  | 'malformed_entry'
  | 'formula_mismatch'
  | 'root_mismatch'
  | 'malformed_receipt'
  | 'other_batch'
  | 'other_oracle'
  | 'bad_receipt_signature'
  | 'malformed_answer'
  | 'not_asked'
  | 'other_leaf'
  | 'other_header_hash'
  | 'other_key_beside'
  | 'order'
  | 'other_entry'
  | 'previous_refuted'
  | 'earlier_time'
  | 'rewritten'
  | 'missing'
  | 'other_score';

/** Why there was nothing to hold a step against. */
export type Opening = 'too_many' | 'previous_by_other_key' | 'first_visit' | 'other_own_key' | 'no_receipt';

/** What a step read or computed. Hashes are long: the page breaks them. */
export interface Fact {
  label:
    | 'answer'
    | 'anchor'
    | 'corridor'
    | 'window'
    | 'batch'
    | 'formula'
    | 'entry'
    | 'leafComputed'
    | 'leafTold'
    | 'place'
    | 'siblings'
    | 'nodes'
    | 'rootComputed'
    | 'rootSigned'
    | 'count'
    | 'header'
    | 'headerComputed'
    | 'headerTold'
    | 'keyId'
    | 'key'
    | 'signature'
    | 'previousNamed'
    | 'previousComputed'
    | 'made'
    | 'previousMade'
    | 'remembered'
    | 'stillThere'
    | 'oracle'
    | 'received'
    | 'outcomes'
    | 'filled'
    | 'accountDays'
    | 'days90'
    | 'meanShortfall'
    | 'typicalSeconds'
    | 'targetSeconds'
    | 'scoreComputed'
    | 'scorePublished';
  value: string;
}

export interface Step {
  id: StepId;
  status: StepStatus;
  /** Present if the step failed. */
  fault?: Fault;
  /** Present if the step is open. */
  opening?: Opening;
  facts: Fact[];
}
