import { intentHash } from '../verification/intent-hash.js';
import { newNonce } from '../verification/nonce.js';
import { isAccount } from './addresses.js';
import { attach, awaitInstructions, register, startWithdrawal } from './before-payment.js';
import { discover } from './discovery.js';
import { type MoneyMoved, OfframpError, Stop } from './errors.js';
import { follow, type OfframpResult } from './follow.js';
import {
  type OfframpOptions,
  type OfframpQuote,
  type OfframpWallet,
  type Run,
  withDefaults,
} from './options.js';
import { pay, preparePayment, report } from './payment-steps.js';
import { authenticate } from './sep10.js';
import { type AuthenticatedState, isOfframpState, type OfframpState } from './state.js';

/**
 * One off-ramp through an anchor's SEP-24 service, from the chosen quote to the payout: authenticates the wallet (SEP-10),
 * registers the intent, starts the withdrawal and attaches it, opens the anchor's form, pays what was quoted and nothing
 * else, and follows it to its end. Resolves when it was paid out; everything else rejects with OfframpError, which says
 * whether money has moved and from which state to resume.
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
 * run before stopped. Hand the latest state to one run at a time: another one stops rather than pays.
 */
export function resumeOfframp(
  state: OfframpState,
  wallet: OfframpWallet,
  options: OfframpOptions,
): Promise<OfframpResult> {
  if (!isOfframpState(state)) {
    return Promise.reject(new OfframpError('state_invalid', { moneyMoved: 'unknown', state: null }));
  }
  return drive(state, wallet, options, async () => state);
}

/** Takes step after step, storing the state between them. */
async function drive(
  known: OfframpState | null,
  wallet: OfframpWallet,
  options: OfframpOptions,
  first: (run: Run) => Promise<OfframpState>,
): Promise<OfframpResult> {
  let current = known;
  const run: Run = {
    ...withDefaults(options),
    wallet,
    token: known?.token ?? '',
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
  const { corridor, anchorId, sellAmount, deliveryMethod } = quote;
  const { address: account } = await run.wallet.getAddress().catch((cause: unknown) => {
    throw new Stop('wallet_refused', { cause });
  });
  if (!isAccount(account)) throw new Stop('account_unsupported');
  const anchor = await discover(run, quote);
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

/** A fault of this code stays what it is; everything that can happen outside has a code. */
function toOfframpError(error: unknown, run: Run, state: OfframpState | null): unknown {
  const moneyMoved = moneyMovedAt(state);
  if (run.signal?.aborted && !(error instanceof Stop)) {
    return new OfframpError('aborted', { moneyMoved, state, cause: error });
  }
  if (!(error instanceof Stop)) return error;
  const { detail, cause, moneyMoved: known = moneyMoved } = error.options;
  return new OfframpError(error.code, { moneyMoved: known, state, detail, cause });
}
