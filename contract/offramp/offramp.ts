import { intentHash, newNonce } from '../verification/intent-hash.js';
import { attach, awaitInstructions, register, startWithdrawal } from './before-payment.js';
import { discover } from './discovery.js';
import { type MoneyMoved, OfframpError, Stop } from './errors.js';
import { patiently } from './exchange.js';
import { follow, type OfframpResult } from './follow.js';
import { isAccount } from './instructions.js';
import { checkNetwork } from './ledger.js';
import {
  argumentFault,
  type OfframpOptions,
  type OfframpQuote,
  type OfframpWallet,
  type Run,
  withDefaults,
} from './options.js';
import { pay, preparePayment, report } from './payment-steps.js';
import { authenticate } from './sep10.js';
import { type AuthenticatedState, isOfframpState, type OfframpState } from './state.js';
import { addressOf } from './wallet.js';

/**
 * One off-ramp through an anchor's SEP-24 service, from the chosen quote to the payout: authenticates the wallet (SEP-10),
 * registers the intent, starts the withdrawal and attaches it, opens the anchor's form, pays what was quoted and nothing
 * else, and follows the withdrawal to its end. Resolves when it was paid out; everything else rejects with OfframpError,
 * which says whether money has moved and from which state to resume.
 */
export function startOfframp(
  quote: OfframpQuote,
  wallet: OfframpWallet,
  options: OfframpOptions,
): Promise<OfframpResult> {
  return drive(null, wallet, options, (run) => begin(run, quote, options));
}

/**
 * Goes on from a state that `onState` was given, after a closed tab or an OfframpError. It never pays twice, wherever the
 * previous run stopped. Pass the latest state to one run at a time: a second run stops instead of paying.
 */
export function resumeOfframp(
  state: OfframpState,
  wallet: OfframpWallet,
  options: OfframpOptions,
): Promise<OfframpResult> {
  if (!isOfframpState(state)) {
    return Promise.reject(new OfframpError('state_invalid', { moneyMoved: 'unknown', state: null }));
  }
  return drive(state, wallet, options, (run) => checkResumed(run, state));
}

/** Throws unless network and wallet are those of the previous run. A wallet with nothing left to sign is not asked. */
async function checkResumed(run: Run, state: OfframpState): Promise<OfframpState> {
  const { networkPassphrase, step, terms } = state;
  if (networkPassphrase !== run.networkPassphrase) {
    throw new Stop('wrong_network', { detail: String(networkPassphrase), moneyMoved: 'unknown' });
  }
  const isSigned = step === 'paying' && state.payment.signed;
  if (isSigned || step === 'paid' || step === 'reported' || step === 'ended') return state;
  const address = await addressOf(run);
  if (address !== terms.account) throw new Stop('other_account', { detail: address });
  return state;
}

/** Takes step after step, storing the state between them. */
async function drive(
  known: OfframpState | null,
  wallet: OfframpWallet,
  options: OfframpOptions,
  first: (run: Run) => Promise<OfframpState>,
): Promise<OfframpResult> {
  let current = known;
  const fault = argumentFault(wallet, options);
  if (fault !== null) {
    throw new OfframpError('arguments_invalid', {
      moneyMoved: moneyMovedAt(known),
      state: known,
      detail: fault,
    });
  }
  const defaults = withDefaults(options);
  let told = '';
  const run: Run = {
    ...defaults,
    wallet,
    token: known?.token ?? '',
    isNetworkChecked: false,
    onStatus(status) {
      if (status === told) return;
      told = status;
      try {
        defaults.onStatus(status);
      } catch {
        // The callback only displays the status: its errors must not keep a payment from being followed.
      }
    },
    async save(state) {
      const saved = { ...state, token: run.token };
      try {
        await run.onState(saved);
      } catch (cause) {
        throw new Stop('state_not_saved', { cause });
      }
      current = saved;
    },
  };
  try {
    let state = await first(run);
    if (known === null) await run.save(state);
    while (state.step !== 'reported' && state.step !== 'ended') {
      run.signal?.throwIfAborted();
      state = await nextState(run, state);
      await run.save(state);
    }
    return await follow(run, state);
  } catch (error) {
    throw toOfframpError(error, run, current);
  }
}

function nextState(
  run: Run,
  state: Exclude<OfframpState, { step: 'reported' | 'ended' }>,
): Promise<OfframpState> {
  switch (state.step) {
    case 'authenticated':
      return register(run, state);
    case 'registered':
      return startWithdrawal(run, state);
    case 'started':
      return attach(run, state);
    case 'attached':
      return awaitInstructions(run, state);
    case 'instructed':
      return preparePayment(run, state);
    case 'paying':
      return pay(run, state);
    case 'paid':
      return report(run, state);
  }
}

async function begin(
  run: Run,
  quote: OfframpQuote,
  { minReceive }: OfframpOptions,
): Promise<AuthenticatedState> {
  const { corridor, anchorId, sellAmount, deliveryMethod } = quote ?? {};
  if (![corridor, anchorId, sellAmount].every((each) => typeof each === 'string')) {
    throw new Stop('arguments_invalid', { detail: 'quote' });
  }
  const account = await addressOf(run);
  if (!isAccount(account)) throw new Stop('account_unsupported');
  const anchor = await discover(run, quote);
  await patiently(run, 'ledger_unavailable', () => checkNetwork(run));
  run.token = await authenticate(run, anchor, account);
  const terms = {
    corridor,
    anchorId,
    account,
    sellAmount,
    ...(minReceive === undefined ? {} : { minReceive }),
    ...(deliveryMethod ? { deliveryMethod } : {}),
    nonce: newNonce(),
  };
  return {
    version: 1,
    step: 'authenticated',
    terms,
    intentHash: intentHash(terms),
    networkPassphrase: run.networkPassphrase,
    anchor,
    token: run.token,
  };
}

/** What is known of the money from the state alone. */
function moneyMovedAt(state: OfframpState | null): MoneyMoved {
  switch (state?.step) {
    case 'paying':
      return state.payment.signed ? 'unknown' : 'no';
    case 'paid':
    case 'reported':
    case 'ended':
      return 'yes';
    default:
      return 'no';
  }
}

/** Gives every error a code, so that each says what is known of the money. */
function toOfframpError(error: unknown, run: Run, state: OfframpState | null): OfframpError {
  const moneyMoved = moneyMovedAt(state);
  if (run.signal?.aborted && !(error instanceof Stop)) {
    return new OfframpError('aborted', { moneyMoved, state, cause: error });
  }
  if (!(error instanceof Stop)) return new OfframpError('unexpected', { moneyMoved, state, cause: error });
  const { detail, cause, moneyMoved: known = moneyMoved } = error.options;
  return new OfframpError(error.code, { moneyMoved: known, state, detail, cause });
}
