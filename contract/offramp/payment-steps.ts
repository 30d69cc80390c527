import { checkStillAsked } from './before-payment.js';
import { Stop } from './errors.js';
import { type LookUp, lookUp, nextSequence, submit } from './ledger.js';
import type { Run } from './options.js';
import { patiently } from './patience.js';
import { callService } from './service.js';
import { signByWallet } from './signature.js';
import type { InstructedState, PaidState, PayingState, ReportedState } from './state.js';

/**
 * Signs, submits and looks up until the ledger decides. Paid twice is never: there is one payment, whose hash is stored
 * before it is signed; it is handed in as often as need be, which the ledger counts once; and another one is built only
 * when a ledger has closed after its time bounds without it.
 */
export async function pay(run: Run, state: PayingState): Promise<PaidState | InstructedState> {
  let current = state;
  // A signed payment of an earlier run may have been submitted by it.
  const handing = { mayBeSubmitted: state.payment.signed };
  for (;;) {
    const found = await standing(run, current);
    if (found === 'paid') return { ...current, step: 'paid' };
    if (found === 'unknown') throw new Stop('payment_unknown');
    if (found === 'dead') return withoutPayment(run, current);
    if (found === 'failed') {
      await run.save(await withoutPayment(run, current));
      throw new Stop('payment_failed');
    }
    if (current.payment.signed) {
      await hand(run, current, handing);
      await run.wait(run.pollMs, run.signal);
    } else {
      await checkStillAsked(run, current);
      current = await sign(run, current);
    }
  }
}

/** Unsigned, it can be nowhere: then its time alone decides whether it is still of use. */
async function standing(run: Run, { payment }: PayingState): Promise<LookUp> {
  if (payment.signed) return patiently(run, 'ledger_unavailable', () => lookUp(run, payment));
  return run.clock() / 1000 > payment.validUntil ? 'dead' : 'pending';
}

/** Back to before the payment, with the sequence number that is next now. */
async function withoutPayment(run: Run, { payment: _, ...state }: PayingState): Promise<InstructedState> {
  const sequence = await patiently(run, 'ledger_unavailable', () => nextSequence(run, state.terms.account));
  return { ...state, step: 'instructed', sequence };
}

async function sign(run: Run, state: PayingState): Promise<PayingState> {
  const { payment, terms } = state;
  const envelope = await signByWallet(run, payment.envelope, terms.account);
  const signed: PayingState = { ...state, payment: { ...payment, envelope, signed: true } };
  await run.save(signed);
  return signed;
}

/** Submits the payment. A rejection says something only of the first submission: later ones may follow a success. */
async function hand(run: Run, { payment }: PayingState, handing: { mayBeSubmitted: boolean }): Promise<void> {
  const rejection = await patiently(run, 'ledger_unavailable', () => {
    const isFirst = !handing.mayBeSubmitted;
    handing.mayBeSubmitted = true;
    return submit(run, payment.envelope).then((code) => (isFirst ? code : null));
  });
  if (rejection !== null) throw new Stop('payment_rejected', { detail: rejection, moneyMoved: 'no' });
}

/** Names the payment to the service, so that the anchor cannot deny it. */
export async function report(run: Run, state: PaidState): Promise<ReportedState> {
  const { intentHash, terms, payment } = state;
  const body = { nonce: terms.nonce, paymentHash: payment.hash };
  await callService(run, ({ intents }, fetchOptions) =>
    intents.attachTransaction({ params: { intentHash }, body, fetchOptions }),
  );
  return { ...state, step: 'reported' };
}
