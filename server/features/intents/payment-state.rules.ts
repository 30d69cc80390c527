import type { PaymentProblem } from '../../../contract/schemas/payments.js';
import { readTransactionHash } from '../../ledger/ledger.js';
import type { Finding, Instructions, NamedBy, NamedPayment, PaymentState } from './payment.js';
import type { TransactionRecord } from './sep-record.rules.js';

const secondMs = 1_000;
const hourMs = 3_600 * secondMs;
const dayMs = 24 * hourMs;

/** No honest anchor names so many. None is forgotten: an anchor that is being paid could push out the true one. */
const mostInstructions = 64;
/** How long an ending waits for the ledger. Afterwards the outcome is `unverified`, and the ledger still asked. */
export const ledgerPatienceMs = dayMs;
/** How long the ledger must say "not found" before it is believed: a node may lag, or be wrong about its range. */
export const missingStandsMs = hourMs;
/** From then on nobody may come upon the payment any more. */
const lookedUpForMs = 30 * dayMs;
const soonestMs = 5 * secondMs;
const latestMs = hourMs;

/** What may be otherwise at the next look. Everything else is final: a closed ledger does not change. */
const undecided: readonly (PaymentProblem | null)[] = [
  null,
  'ledger_unavailable',
  'out_of_range',
  'not_found',
];

export const nothingKnown: PaymentState = { instructions: [], named: [], found: null, told: null };

/** Adds what a record says of the payment. */
export function withRecord(
  state: PaymentState,
  record: TransactionRecord,
  observedAtMs: number,
): PaymentState {
  const { refunded, amountIn, amountOut, amountOutAsset } = record;
  const told = { refunded, amountIn, amountOut, amountOutAsset };
  const instructions = withInstructions(state.instructions, record, observedAtMs);
  const hash = record.stellarTransaction === null ? null : readTransactionHash(record.stellarTransaction);
  const next = { ...state, told, instructions };
  return hash === null ? next : withNamed(next, hash, 'anchor', observedAtMs);
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
 * Puts a payment in the place of the one that the same party named before. A verified one is never replaced. One that
 * could not be held against a record is looked up again when the wallet names it again. How long and how often one is looked
 * for goes on from one to the next: whoever renames gains neither time nor calls.
 */
export function withNamed(state: PaymentState, hash: string, by: NamedBy, nowMs: number): PaymentState {
  const before = state.named.find((each) => each.by === by);
  const mayBeLookedUpAgain = by === 'wallet' && before?.problem === 'no_instructions';
  const isKnown = before?.hash === hash && !mayBeLookedUpAgain;
  if (isKnown || state.found?.by === by) return state;
  const fresh: NamedPayment = {
    hash,
    by,
    namedAtMs: before?.namedAtMs ?? nowMs,
    looks: before?.looks ?? 0,
    notBeforeMs: before === undefined ? null : dueMs(before),
    lookedUpAtMs: null,
    problem: null,
    missingSinceMs: by === 'anchor' ? (before?.missingSinceMs ?? null) : null,
    contradicts: false,
    ...(before !== undefined && contradictsNow(before) ? { contradictedBefore: true } : {}),
  };
  return { ...state, named: [...state.named.filter((each) => each.by !== by), fresh] };
}

/** What the intent knows of the payment that a transaction passes to: the anchor's word goes with the transaction. */
export function handedOn(holder: PaymentState, claimant: PaymentState): PaymentState {
  const { instructions, told } = holder;
  const own = claimant.named.filter(({ by }) => by === 'wallet');
  const next = { ...claimant, instructions, told, named: own };
  const byAnchor = [...holder.named, ...claimant.named].find(({ by }) => by === 'anchor');
  return byAnchor === undefined ? next : withNamed(next, byAnchor.hash, 'anchor', byAnchor.namedAtMs);
}

/** What is left to the intent that a transaction passes from. Where to pay is of the transaction, and goes with it. */
export function handedAway(state: PaymentState): PaymentState {
  return { ...state, instructions: [], named: state.named.filter(({ by }) => by === 'wallet'), told: null };
}

/** Adds what a look at the ledger said of the payment that this party named. */
export function withFinding(state: PaymentState, by: NamedBy, finding: Finding, nowMs: number): PaymentState {
  const named = state.named.map((each) => (each.by === by ? lookedUp(each, finding, nowMs) : each));
  const found = finding.kind === 'found' ? finding.payment : null;
  return { ...state, named, found: state.found ?? found };
}

function lookedUp(named: NamedPayment, finding: Finding, nowMs: number): NamedPayment {
  const next = { ...named, looks: named.looks + 1, lookedUpAtMs: nowMs };
  if (finding.kind === 'found') return { ...next, problem: null, missingSinceMs: null, contradicts: false };
  const { problem } = finding;
  const missingSinceMs = problem === 'not_found' ? (named.missingSinceMs ?? nowMs) : null;
  const contradicts =
    problem === 'not_found' ? isMissing({ ...next, missingSinceMs }, nowMs) : finding.contradicts;
  return { ...next, problem, missingSinceMs, contradicts };
}

function isMissing({ missingSinceMs }: NamedPayment, nowMs: number): boolean {
  return missingSinceMs !== null && nowMs - missingSinceMs >= missingStandsMs;
}

/** Whether another look may still change what is known of it. */
export function isUndecided({ found }: PaymentState, named: NamedPayment): boolean {
  return found === null && undecided.includes(named.problem);
}

/**
 * What the ledger says of the payment of an intent:
 * - `verified`: it was found
 * - `waiting`: a named payment is still being looked for, and nothing may end before that, for a day at most
 * - `refuted`: the anchor's record names a payment that is none
 * - `unverifiable`: nothing was named, or the ledger cannot tell
 */
export type PaymentVerdict = 'verified' | 'waiting' | 'refuted' | 'unverifiable';

export function verdictOf(state: PaymentState, nowMs: number): PaymentVerdict {
  if (state.found !== null) return 'verified';
  const waits = (named: NamedPayment) =>
    isUndecided(state, named) && !isMissing(named, nowMs) && nowMs - named.namedAtMs < ledgerPatienceMs;
  if (state.instructions.length > 0 && state.named.some(waits)) return 'waiting';
  const told = state.named.find(({ by }) => by === 'anchor');
  if (told === undefined) return 'unverifiable';
  if (told.problem === null || told.problem === 'not_found')
    return isMissing(told, nowMs) ? 'refuted' : 'unverifiable';
  return isUndecided(state, told) || told.problem === 'no_instructions' ? 'unverifiable' : 'refuted';
}

/**
 * When to look a named payment up next; null where there is nothing to look for. Without instructions none is looked up,
 * since none could be verified; `claims`: those of the intent that holds the claimed transaction may do.
 */
export function nextLookUpMs(state: PaymentState, claims: boolean, nowMs: number): number | null {
  if (state.instructions.length === 0 && !claims) return null;
  const times = state.named
    .filter((named) => isUndecided(state, named) && nowMs - named.namedAtMs < lookedUpForMs)
    .map((named) => dueMs(named) ?? nowMs);
  return times.length === 0 ? null : Math.max(nowMs, Math.min(...times));
}

/** When its next look is due; null: at once. */
function dueMs(named: NamedPayment): number | null {
  return named.lookedUpAtMs === null ? (named.notBeforeMs ?? null) : named.lookedUpAtMs + paceMs(named);
}

function paceMs({ looks }: NamedPayment): number {
  return Math.min(latestMs, soonestMs * 2 ** Math.min(looks - 1, 20));
}

/** Whether a record of the anchor named a payment which the ledger shows to be none, or more places to pay than any needs. */
export function isContradicted({ named, instructions }: PaymentState): boolean {
  const byAnchor = named.some((each) => each.by === 'anchor' && contradictsNow(each));
  return byAnchor || instructions.length === mostInstructions;
}

function contradictsNow({ contradicts, contradictedBefore = false }: NamedPayment): boolean {
  return contradicts || contradictedBefore;
}
