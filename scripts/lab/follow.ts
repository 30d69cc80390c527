import type { IntentOutcome } from '../../server/features/intents/intent.js';
import { toFields, toState } from '../../server/features/intents/intent-state.rules.js';
import { newIntent } from '../../server/features/intents/new-intent.rules.js';
import { readRecord } from '../../server/features/intents/sep-record.rules.js';
import { type IntentState, transition } from '../../server/features/intents/transition.rules.js';
import type { Course } from './course.js';
import { corridor } from './service.js';

const secondMs = 1_000;
const hourMs = 3_600 * secondMs;
/** What the ledger shows, the lab says itself; of all else the rules take the word of the records. */
const limits = { failureGraceMs: 24 * hourMs, ledger: false };
const account = 'GBXFXNDLV4LSWA4VB7YIL5GBD7BVNR22SGBTDKMO2SBZZHDXSKZYCP7L';
const sellAsset = 'stellar:USDC:GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN';
const overdueAfterSeconds = 24 * 3_600;
const quoted = { sellAmount: '100', receiveAmount: '150000' };
/** After registration the wallet is told where to pay; it pays a minute later. */
const paidAfterMs = 60 * secondMs;

/** How an intent of 100 units ended, in ms after it was registered, and whether its outcome may count. */
export interface Followed {
  endedAfterMs: number;
  scored: boolean;
  outcome: IntentOutcome;
}

/**
 * Follows one intent by the service's own rules. `ledger`: the service looks payments up; otherwise it takes the anchor's
 * word for them.
 */
export function follow(course: Course, ledger: boolean): Followed {
  let state = registered();
  const see = (atMs: number, raw: Record<string, unknown>) => {
    state = transition(state, { record: recordOf(raw), observedAtMs: atMs }, atMs, limits);
  };
  see(5 * secondMs, { status: 'pending_user_transfer_start' });
  const paysAnchor = course.kind === 'paid_out' || course.kind === 'refunded' || course.kind === 'kept';
  if (ledger && paysAnchor) state = withPayment(state, paidAfterMs);
  switch (course.kind) {
    case 'paid_out':
    case 'invented': {
      const { afterSeconds, shortfallPercent, tells } =
        course.kind === 'invented' ? { afterSeconds: 1, shortfallPercent: 0, tells: true } : course;
      if (tells)
        see(paidAfterMs + 500, { status: 'pending_anchor', amount_in: '100', stellar_transaction_id: hash });
      const doneAtMs = paidAfterMs + afterSeconds * secondMs;
      const amount_out = String(1_500 * (100 - shortfallPercent));
      const paid = { amount_in: '100', amount_out, stellar_transaction_id: hash };
      see(doneAtMs + secondMs, { status: 'completed', ...paid, completed_at: instant(doneAtMs) });
      break;
    }
    case 'refunded':
      see(paidAfterMs + hourMs, { status: 'refunded', amount_in: '100', stellar_transaction_id: hash });
      break;
    default:
  }
  // What is never told ends by time alone.
  for (let atMs = hourMs; state.ending === null; atMs += hourMs)
    state = transition(state, null, atMs, limits);
  const { outcome, scored } = toFields(state);
  if (outcome === null) throw new Error('it has not ended');
  const evidence = !ledger ? 'anchor' : paysAnchor ? 'ledger' : 'unverified';
  return { endedAfterMs: outcome.recordedAt.getTime(), scored, outcome: { ...outcome, evidence } };
}

const hash = 'f'.repeat(64);

/** Funds received by the ledger's time. */
function withPayment(state: IntentState, closedAtMs: number): IntentState {
  return { ...state, observations: { ...state.observations, fundedAtMs: closedAtMs, paidAtMs: closedAtMs } };
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

function recordOf(raw: Record<string, unknown>) {
  const read = readRecord({ id: 'withdrawal', kind: 'withdrawal', ...raw }, 'sep24');
  if (read === null) throw new Error('not a record');
  return read;
}

function instant(atMs: number): string {
  return new Date(atMs).toISOString();
}
