import type { PaymentProblem } from '../../../../contract/schemas/payments.js';
import {
  type LedgerPayment,
  type LedgerSource,
  type LedgerTransaction,
  readTransactionHash,
} from '../../../ledger/ledger-transaction.rules.js';
import type { TransactionRecord } from '../record/sep-record.rules.js';

/** The payment instructions of a withdrawal, as a record of the anchor named them. */
export interface Instructions {
  /** `G…` or `M…`. */
  account: string;
  memo: string | null;
  memoType: string | null;
  /** When they were first stored; only payments that closed later are compared with them. */
  storedAtMs: number;
}

export type NamedBy = 'wallet' | 'anchor';

/** A ledger transaction that the wallet or the anchor names as the payment. */
export interface NamedPayment {
  hash: string;
  by: NamedBy;
  /** When this party first named any payment, so that it gains no time by naming further ones. */
  namedAtMs: number;
  /** Number of look-ups of all payments that this party named. */
  looks: number;
  /** When the next look-up is due, by the pace of those so far. */
  nextMs: number;
  /** The time of the last look-up and the problem that it found; null where there was no look-up, or no problem. */
  lookedUpAtMs: number | null;
  problem: PaymentProblem | null;
  /** How often the ledger said that it has no such transaction; for the wallet, of all payments that it named. */
  misses: number;
  /** Whether the ledger showed that it, or one that the same party named before, cannot be a payment to this anchor. */
  contradicts: boolean;
}

/** A payment found on the ledger and verified, with what anybody needs to look it up again. */
export interface FoundPayment
  extends LedgerPayment,
    Pick<LedgerTransaction, 'hash' | 'ledger' | 'closedAtMs' | 'memo'> {
  by: NamedBy;
  lookedUpAtMs: number;
  source: LedgerSource;
}

/** What is known of the payment of an intent. */
export interface PaymentState {
  instructions: readonly Instructions[];
  /** At most one per party. */
  named: readonly NamedPayment[];
  found: FoundPayment | null;
  /** When the expired intent was reopened because its payment was found; absent where it was not reopened. */
  takenUpAtMs?: number;
  /** Set where the transaction came to this intent because the ledger shows that its account paid: it passes on no more. */
  passedByLedger?: true;
}

/** The result of a ledger look-up of a named payment. */
export type Finding =
  | { kind: 'found'; payment: FoundPayment }
  | { kind: 'problem'; problem: PaymentProblem; contradicts: boolean };

const secondMs = 1_000;
const hourMs = 3_600 * secondMs;
const dayMs = 24 * hourMs;

/** No honest anchor names this many. None is dropped for a newer one, or a paid anchor could push the true one out. */
const mostInstructions = 64;
/** How long an outcome waits for the ledger. After that it is `unverified`, and the look-ups go on. */
const ledgerPatienceMs = dayMs;
/** How often the ledger must say "not found" before that is believed, some 43 minutes: a node may lag. */
const believedMisses = 10;
/** How long payments are looked up after a party first named one; none can be found any more after that. */
const lookedUpForMs = 30 * dayMs;
const soonestMs = 5 * secondMs;
const latestMs = hourMs;

/** Results that the next look-up may change. All others are final, since a closed ledger does not change. */
const undecided: readonly (PaymentProblem | null)[] = [
  null,
  'ledger_unavailable',
  'out_of_range',
  'not_found',
];

export const nothingKnown: PaymentState = { instructions: [], named: [], found: null };

/** Adds what a record says about the payment; `storedAtMs` is when the record is stored. */
export function withRecord(state: PaymentState, record: TransactionRecord, storedAtMs: number): PaymentState {
  const hash = record.stellarTransaction === null ? null : readTransactionHash(record.stellarTransaction);
  const next = { ...state, instructions: withInstructions(state.instructions, record, storedAtMs) };
  return hash === null ? next : withNamed(next, hash, 'anchor', storedAtMs);
}

function withInstructions(
  before: readonly Instructions[],
  { payTo }: TransactionRecord,
  storedAtMs: number,
): readonly Instructions[] {
  if (payTo === null) return before;
  const { account, memo, memoType } = payTo;
  const isKnown = before.some(
    (each) => each.account === account && each.memo === memo && each.memoType === memoType,
  );
  if (isKnown || before.length === mostInstructions) return before;
  return [...before, { account, memo, memoType, storedAtMs }];
}

/**
 * Replaces the payment that the same party named before, unless that one was verified. A payment for which there were no
 * instructions is looked up again when the wallet names it again. The time of look-ups carries over from one named payment
 * to the next, and their number from one that the wallet named, so that naming another one gains neither time nor calls.
 */
export function withNamed(state: PaymentState, hash: string, by: NamedBy, nowMs: number): PaymentState {
  const before = state.named.find((each) => each.by === by);
  const mayBeLookedUpAgain = by === 'wallet' && before?.problem === 'no_instructions';
  const isKnown = before?.hash === hash && !mayBeLookedUpAgain;
  if (isKnown || state.found?.by === by) return state;
  const { looks, misses, nextMs } = (by === 'wallet' ? before : undefined) ?? {
    looks: 0,
    misses: 0,
    nextMs: nowMs,
  };
  const fresh: NamedPayment = {
    hash,
    by,
    looks,
    misses,
    nextMs,
    namedAtMs: before?.namedAtMs ?? nowMs,
    lookedUpAtMs: null,
    problem: null,
    contradicts: before?.contradicts ?? false,
  };
  return { ...state, named: [...state.named.filter((each) => each.by !== by), fresh] };
}

/** The payment state of the claimant that a transaction passes to: what the anchor said goes with the transaction. */
export function handedOn(holder: PaymentState, claimant: PaymentState): PaymentState {
  const own = claimant.named.filter(({ by }) => by === 'wallet');
  const next = { ...claimant, instructions: holder.instructions, named: own };
  const byAnchor = holder.named.find(({ by }) => by === 'anchor');
  return byAnchor === undefined ? next : withNamed(next, byAnchor.hash, 'anchor', byAnchor.namedAtMs);
}

/** The payment state of the intent that loses a transaction: instructions and the anchor's word go with the transaction. */
export function handedAway({ passedByLedger: _, ...state }: PaymentState): PaymentState {
  return { ...state, instructions: [], named: state.named.filter(({ by }) => by === 'wallet') };
}

/** Adds the result of a look-up of the payment that this party named. */
export function withFinding(state: PaymentState, by: NamedBy, finding: Finding, nowMs: number): PaymentState {
  const named = state.named.map((each) => (each.by === by ? lookedUp(each, finding, nowMs) : each));
  const found = finding.kind === 'found' ? finding.payment : null;
  return { ...state, named, found: state.found ?? found };
}

function lookedUp(named: NamedPayment, finding: Finding, nowMs: number): NamedPayment {
  const looks = named.looks + 1;
  const nextMs = nowMs + Math.min(latestMs, soonestMs * 2 ** Math.min(looks - 1, 20));
  const next = { ...named, looks, nextMs, lookedUpAtMs: nowMs };
  if (finding.kind === 'found') return { ...next, problem: null };
  const { problem } = finding;
  const misses = named.misses + (problem === 'not_found' ? 1 : 0);
  const contradicts = problem === 'not_found' ? misses >= believedMisses : finding.contradicts;
  return { ...next, problem, misses, contradicts: named.contradicts || contradicts };
}

/** Whether another look-up may still change the result. */
export function isUndecided({ found }: PaymentState, named: NamedPayment): boolean {
  return found === null && undecided.includes(named.problem) && named.misses < believedMisses;
}

/**
 * What the ledger says about the payment of an intent:
 * - `verified`: it was found
 * - `waiting`: a named payment is still being looked up, for a day at most, and the intent does not end before that
 * - `refuted`: the anchor's record names a transaction that is no payment of the intent
 * - `unverifiable`: no payment was named, or the ledger cannot tell
 */
export type PaymentVerdict = 'verified' | 'waiting' | 'refuted' | 'unverifiable';

export function verdictOf(state: PaymentState, nowMs: number): PaymentVerdict {
  if (state.found !== null) return 'verified';
  const waits = (named: NamedPayment) =>
    isUndecided(state, named) && nowMs - named.namedAtMs < ledgerPatienceMs;
  if (state.instructions.length > 0 && state.named.some(waits)) return 'waiting';
  const told = state.named.find(({ by }) => by === 'anchor');
  if (told === undefined) return 'unverifiable';
  if (told.problem === null || told.problem === 'not_found')
    return told.misses >= believedMisses ? 'refuted' : 'unverifiable';
  return isUndecided(state, told) || told.problem === 'no_instructions' ? 'unverifiable' : 'refuted';
}

/**
 * When to look up a named payment next; null where no look-up is left. Without instructions, which only the holder of a
 * transaction has, none is looked up, since none could be verified.
 */
export function nextLookUpMs(state: PaymentState, nowMs: number): number | null {
  if (state.instructions.length === 0) return null;
  const times = state.named
    .filter((named) => isUndecided(state, named) && nowMs - named.namedAtMs < lookedUpForMs)
    .map(({ nextMs }) => nextMs);
  return times.length === 0 ? null : Math.max(nowMs, Math.min(...times));
}

/** Whether the ledger contradicts a payment that the anchor named, or the anchor named more instructions than any needs. */
export function isContradicted({ named, instructions }: PaymentState): boolean {
  const byAnchor = named.some((each) => each.by === 'anchor' && each.contradicts);
  return byAnchor || instructions.length === mostInstructions;
}
