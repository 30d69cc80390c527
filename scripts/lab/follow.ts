import type { IntentOutcome } from '../../server/features/intents/intent.js';
import { toFields, toState } from '../../server/features/intents/intent-state.rules.js';
import { newIntent } from '../../server/features/intents/new-intent.rules.js';
import type { Finding } from '../../server/features/intents/payment.js';
import { matchPayment } from '../../server/features/intents/payment-match.rules.js';
import { isUndecided, withNamed } from '../../server/features/intents/payment-state.rules.js';
import { withLookUp } from '../../server/features/intents/payment-transition.rules.js';
import { readRecord } from '../../server/features/intents/sep-record.rules.js';
import {
  type IntentState,
  payableUntilMs,
  transition,
} from '../../server/features/intents/transition.rules.js';
import { type Course, isPaid } from './course.js';
import { account, anchorAccount, paymentOf, sellAsset } from './payments.js';
import { corridor } from './service.js';

const secondMs = 1_000;
const hourMs = 3_600 * secondMs;
const overdueAfterSeconds = 24 * 3_600;
const quoted = { sellAmount: '100', receiveAmount: '150000' };
/** After registration the wallet learns where to pay; it pays a minute later. */
const paidAfterMs = 60 * secondMs;
const hash = 'f'.repeat(64);

/** How an intent of 100 units ended, in ms after it was registered, and whether its outcome may count. */
export interface Followed {
  endedAfterMs: number;
  scored: boolean;
  outcome: IntentOutcome;
}

/**
 * Follows one intent by the service's own rules. `ledger`: the service looks payments up; otherwise it trusts the anchor's
 * reports of them.
 */
export function follow(course: Course, ledger: boolean): Followed {
  const limits = { failureGraceMs: 24 * hourMs, ledger };
  let state = registered();
  const see = (atMs: number, raw: Record<string, unknown>) => {
    const record = recordOf({ ...payTo, ...raw });
    state = transition(state, { record, observedAtMs: atMs }, atMs, limits);
  };
  const lookUp = (atMs: number) => {
    const due = state.payment.named.filter((named) => isUndecided(state.payment, named));
    for (const { by } of ledger ? due : [])
      state = withLookUp(state, { by, hash, finding: findingOf(course, state, by, atMs) }, atMs, limits);
  };
  see(5 * secondMs, { status: 'pending_user_transfer_start' });
  if (isPaid(course) || course.kind === 'framed') {
    state = { ...state, payment: withNamed(state.payment, hash, 'wallet', paidAfterMs) };
    lookUp(paidAfterMs + secondMs);
  }
  for (const [atMs, raw] of toldOf(course)) see(atMs, raw);
  // Without further reports, the intent ends by the ledger or by timeout.
  for (let atMs = paidAfterMs + 2 * hourMs; state.ending === null; atMs += hourMs) {
    lookUp(atMs);
    state = transition(state, null, atMs, limits);
  }
  const { outcome, scored } = toFields(state);
  if (outcome === null) throw new Error('it has not ended');
  return { endedAfterMs: outcome.recordedAt.getTime(), scored, outcome };
}

/** A record of the anchor, in ms after the intent was registered. */
type Told = [atMs: number, raw: Record<string, unknown>];

/** What the anchor's records say after the first one. */
function toldOf(course: Course): Told[] {
  const paid = { amount_in: '100', stellar_transaction_id: hash };
  switch (course.kind) {
    case 'paid_out':
      return payoutToldOf(course.afterSeconds, course.shortfallPercent, course.tells);
    case 'invented':
      return payoutToldOf(1, 0, true);
    case 'refunded':
      return [[paidAfterMs + hourMs, { status: 'refunded', ...paid }]];
    default:
      return [];
  }

  function payoutToldOf(afterSeconds: number, shortfallPercent: number, tells: boolean): Told[] {
    const doneAtMs = paidAfterMs + afterSeconds * secondMs;
    const amount_out = String(1_500 * (100 - shortfallPercent));
    const done: Told = [
      doneAtMs + secondMs,
      { status: 'completed', ...paid, amount_out, completed_at: instant(doneAtMs) },
    ];
    return tells ? [[paidAfterMs + 500, { status: 'pending_anchor', ...paid }], done] : [done];
  }
}

/** The result of looking up the named payment on the ledger. */
function findingOf(course: Course, state: IntentState, by: 'wallet' | 'anchor', nowMs: number): Finding {
  const transaction = paymentOf(course, hash, paidAfterMs);
  if (transaction === null) return { kind: 'problem', problem: 'not_found', contradicts: false };
  const { terms, deadlineMs, payment, observations } = state;
  const held = { ...terms, payableUntilMs: payableUntilMs(deadlineMs, observations.closedSinceMs) };
  const match = matchPayment(transaction, held, payment.instructions);
  if (match.kind === 'refused')
    return { kind: 'problem', problem: match.problem, contradicts: match.contradicts };
  const [found] = match.payments;
  if (found === undefined) throw new Error('a match without a payment');
  const { ledger, closedAtMs, memo } = transaction;
  return {
    kind: 'found',
    payment: { ...found, hash, by, ledger, closedAtMs, memo, lookedUpAtMs: nowMs, source: 'rpc' },
  };
}

/** An intent whose transaction was attached at once. */
function registered(): IntentState {
  const intent = newIntent({
    intentHash: hash,
    body: {
      corridor,
      anchorId: 'player',
      account,
      sellAmount: '100',
      nonce: '',
      anchorTransactionId: 'withdrawal',
    },
    corridor: { id: corridor, sellAsset, buyAsset: 'iso4217:NGN', overdueAfterSeconds },
    quote: { tier: 'anchor', ...quoted, rate: '1500', adjusted: false, quotedAt: new Date(0) },
    nowMs: 0,
  });
  return toState(intent);
}

const payTo = { withdraw_anchor_account: anchorAccount, withdraw_memo: '42', withdraw_memo_type: 'id' };

function recordOf(raw: Record<string, unknown>) {
  const read = readRecord({ id: 'withdrawal', kind: 'withdrawal', ...raw }, 'sep24');
  if (read === null) throw new Error('not a record');
  return read;
}

function instant(atMs: number): string {
  return new Date(atMs).toISOString();
}
