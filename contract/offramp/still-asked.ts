import type { AnchorTransaction } from '../anchor-documents/transaction.js';
import type { IntentAnswer } from '../client/generated/types.js';
import { Stop } from './errors.js';
import { patiently } from './exchange.js';
import { readInstructions, sameInstructions } from './instructions.js';
import type { Run } from './options.js';
import { readRecord } from './sep24.js';
import { askIntent, callService } from './service.js';
import type { InstructedState, OfframpState, PayingState, PaymentInstructions } from './state.js';

export const awaitsPayment = 'pending_user_transfer_start';
/** The statuses of a withdrawal that can no longer be paid. With any other status, even an invented one, it is open. */
const finalWords: ReadonlySet<string> = new Set([
  'completed',
  'error',
  'expired',
  'no_market',
  'pending_external',
  'pending_user_transfer_complete',
  'refunded',
  'too_large',
  'too_small',
]);
/** The statuses of a withdrawal that nobody paid. Any other may follow a payment, even one of another run. */
const unpaidWords: ReadonlySet<string> = new Set([
  'expired',
  'incomplete',
  'no_market',
  'too_large',
  'too_small',
]);
/** Outcomes of an intent that was not paid. */
const unpaidReasons: ReadonlySet<string> = new Set(['abandoned', 'never_funded', 'no_transaction']);

/** Throws if the status says that the withdrawal is over. */
export function checkOpen(status: string): void {
  if (finalWords.has(status)) throw notPayable('withdrawal_ended', status);
}

function notPayable(code: 'withdrawal_ended' | 'payment_not_asked', status: string): Stop {
  return new Stop(code, { detail: status, moneyMoved: unpaidWords.has(status) ? 'no' : 'unknown' });
}

export function instructionsOf(
  record: AnchorTransaction,
  state: OfframpState & { withdrawal: { id: string } },
): PaymentInstructions {
  const read = readInstructions(record, { ...state, withdrawalId: state.withdrawal.id });
  if (typeof read === 'string') throw new Stop('payment_refused', { detail: read });
  return read;
}

/**
 * Throws unless the anchor still asks for the very payment that was checked, and the service would take it for this
 * intent's.
 */
export async function checkStillAsked(run: Run, state: InstructedState | PayingState): Promise<void> {
  const record = await patiently(run, 'anchor_unavailable', () => readRecord(run, state));
  run.onStatus(record.status);
  checkOpen(record.status);
  if (record.status !== awaitsPayment) throw notPayable('payment_not_asked', record.status);
  if (!sameInstructions(instructionsOf(record, state), state.instructions))
    throw new Stop('instructions_changed');
  checkIntent(await askIntent(run, state.intentHash), state);
}

/**
 * Names the payment to the service before it is signed. When the payment has used the account's next sequence number, the
 * service therefore knows it, so a run that does not know it does not pay a second time.
 */
export async function announce(run: Run, state: PayingState): Promise<void> {
  const { intentHash, terms, payment } = state;
  const body = { nonce: terms.nonce, paymentHash: payment.hash };
  const intent = await callService(run, ({ intents }, fetchOptions) =>
    intents.attachTransaction({ params: { intentHash }, body, fetchOptions }),
  ).catch((error: unknown) => {
    if (!(error instanceof Stop) || error.options.detail !== 'TRANSACTION_CONFLICT') throw error;
    // The service has found another payment since it was asked.
    throw new Stop('already_paid', { moneyMoved: 'unknown', cause: error });
  });
  checkIntent(intent, state);
  const { named = [], found = null } = intent.payment ?? {};
  if (![found, ...named].some((each) => each?.hash === payment.hash)) throw new Stop('service_mismatch');
}

function checkIntent(intent: IntentAnswer, state: InstructedState | PayingState): void {
  const { payment, outcome, transaction } = intent;
  const own = new Set(state.earlier.map(({ hash }) => hash));
  if ('payment' in state) own.add(state.payment.hash);
  const found = payment?.found?.hash;
  if (found !== undefined && !own.has(found)) {
    throw new Stop('already_paid', { detail: found, moneyMoved: 'yes' });
  }
  const other = payment?.named.find(
    ({ hash, problem }) => !own.has(hash) && problem !== 'transaction_failed',
  );
  if (other !== undefined) throw new Stop('already_paid', { detail: other.hash, moneyMoved: 'unknown' });
  // The payment was submitted by an earlier run of this state: the ledger decides next.
  if (found !== undefined) return;
  if (outcome !== null) {
    const { reason } = outcome;
    throw new Stop('not_followed', {
      detail: reason,
      moneyMoved: unpaidReasons.has(reason) ? 'no' : 'unknown',
    });
  }
  const problem = transaction?.id === state.withdrawal.id ? transaction.problem : 'other_transaction';
  if (problem !== null) throw new Stop('not_followed', { detail: problem, moneyMoved: 'no' });
}
