import { Stop } from './errors.js';
import { patiently, Unavailable } from './exchange.js';
import { buildPayment, ledgerTime, lookUp, readAccount, submit } from './ledger.js';
import type { Run } from './options.js';
import { callService } from './service.js';
import type { InstructedState, PaidState, PayingState, ReportedState } from './state.js';
import { announce, checkStillAsked } from './still-asked.js';
import { signByWallet } from './wallet.js';

/** Builds the payment, so that it is stored with its hash before the wallet is asked to sign it. */
export async function preparePayment(run: Run, state: InstructedState): Promise<PayingState | PaidState> {
  for (const payment of state.earlier) {
    const { status } = await patiently(run, 'ledger_unavailable', () => lookUp(run, payment.hash));
    if (status === 'paid') return { ...state, step: 'paid', payment };
  }
  await checkStillAsked(run, state);
  const builtAt = await patiently(run, 'ledger_unavailable', async () => {
    const { next } = await readAccount(run, state.terms.account);
    if (next > BigInt(state.sequence)) throw new Stop('sequence_taken', { moneyMoved: 'unknown' });
    if (next < BigInt(state.sequence)) throw new Unavailable('the ledger is behind');
    return ledgerTime(run);
  });
  return { ...state, step: 'paying', payment: buildPayment({ ...state, ...run, builtAt }) };
}

/**
 * Signs, submits and looks up the payment until the ledger decides. Nothing is paid twice: there is one payment, whose hash
 * is stored and named to the service before it is signed. It may be submitted repeatedly: the ledger executes it once.
 * Another payment is built only with the same sequence number, or with the next one after a payment that failed.
 */
export async function pay(run: Run, state: PayingState): Promise<PaidState | InstructedState> {
  let current = state;
  // An earlier run may have submitted the payment if it was signed.
  let mayBeSubmitted = state.payment.signed;
  let isChecked = false;
  let refused: Stop | null = null;
  const progress = { closedAt: 0, seenAt: run.clock() };
  for (;;) {
    const { payment, ...rest } = current;
    const found = await patiently(run, 'ledger_unavailable', () => standing(run, current, progress));
    if (found === 'paid') return { ...current, step: 'paid' };
    const earlier = [...rest.earlier, payment];
    if (found === 'failed') {
      const sequence = String(BigInt(rest.sequence) + 1n);
      await run.save({ ...rest, step: 'instructed', sequence, earlier });
      throw new Stop('payment_failed');
    }
    if (found === 'lost') return { ...rest, step: 'instructed', earlier };
    if (!payment.signed) {
      await checkStillAsked(run, current);
      await announce(run, current);
      current = await sign(run, current);
      continue;
    }
    if (!isChecked) refused = await reasonNotToSubmit(run, current, mayBeSubmitted);
    isChecked = true;
    if (refused === null) {
      await hand(run, current, !mayBeSubmitted);
      mayBeSubmitted = true;
    }
    await run.wait(run.pollMs, run.signal);
  }
}

/** The state of the payment. `lost`: it is absent, its sequence number is unused, and no later ledger can execute it. */
async function standing(
  run: Run,
  state: PayingState,
  progress: { closedAt: number; seenAt: number },
): Promise<'paid' | 'failed' | 'pending' | 'lost'> {
  const { payment, sequence, terms } = state;
  const looked = await lookUp(run, payment.hash);
  if (looked.status !== 'absent') return looked.status;
  if (looked.closedAt !== progress.closedAt) {
    progress.closedAt = looked.closedAt;
    progress.seenAt = run.clock();
  }
  if (run.clock() - progress.seenAt > run.patienceMs) {
    throw new Stop('ledger_unavailable', { detail: 'no new ledger' });
  }
  const { next, ledger } = await readAccount(run, terms.account);
  if (next > BigInt(sequence)) return whoTookThePlace(run, state, ledger);
  if (looked.closedAt <= payment.validUntil) return 'pending';
  if (ledger < looked.ledger) throw new Unavailable('the ledger is behind');
  return 'lost';
}

/** What used the sequence number. Throws if it was not the payment: it may have been a payment of another run. */
async function whoTookThePlace(
  run: Run,
  { payment }: PayingState,
  ledger: number,
): Promise<'paid' | 'failed'> {
  const looked = await lookUp(run, payment.hash);
  if (looked.status !== 'absent') return looked.status;
  if (looked.ledger < ledger) throw new Unavailable('the ledger is behind');
  const isInReach = looked.reachesBackTo <= payment.builtAt;
  throw new Stop(isInReach ? 'sequence_taken' : 'payment_unknown', { moneyMoved: 'unknown' });
}

/** Checked before a run's first submission. With a reason, a payment that may have been submitted is only looked up. */
async function reasonNotToSubmit(
  run: Run,
  state: PayingState,
  mayBeSubmitted: boolean,
): Promise<Stop | null> {
  try {
    await checkStillAsked(run, state);
    return null;
  } catch (error) {
    if (!mayBeSubmitted || !(error instanceof Stop)) throw error;
    return error;
  }
}

async function sign(run: Run, state: PayingState): Promise<PayingState> {
  const { payment, terms } = state;
  const envelope = await signByWallet(run, payment.envelope, terms.account);
  const signed: PayingState = { ...state, payment: { ...payment, envelope, signed: true } };
  await run.save(signed);
  return signed;
}

/**
 * Submits the payment. Only the rejection of the first submission matters: later ones may follow a success. A bad sequence
 * number never matters: another run may have submitted this payment, which used the number.
 */
async function hand(run: Run, { payment }: PayingState, isFirst: boolean): Promise<void> {
  let counts = isFirst;
  const rejection = await patiently(run, 'ledger_unavailable', async () => {
    const submitted = submit(run, payment.envelope);
    const isTold = counts;
    counts = false;
    const code = await submitted;
    return isTold ? code : null;
  });
  if (rejection !== null && rejection !== 'txBadSeq') {
    throw new Stop('payment_rejected', { detail: rejection, moneyMoved: 'no' });
  }
}

/** Names the payment to the service again: the anchor may have named another one. The run goes on after any answer. */
export async function report(run: Run, state: PaidState): Promise<ReportedState> {
  const { intentHash, terms, payment } = state;
  const body = { nonce: terms.nonce, paymentHash: payment.hash };
  try {
    await callService(run, ({ intents }, fetchOptions) =>
      intents.attachTransaction({ params: { intentHash }, body, fetchOptions }),
    );
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
  }
  return { ...state, step: 'reported' };
}
