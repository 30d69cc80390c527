import type { AnchorTransaction } from '../anchor-documents/transaction.js';
import { isAsset } from '../anchor-documents/values.js';
import type { IntentAnswer } from '../client/generated/types.js';
import { Stop } from './errors.js';
import { orNull } from './exchange.js';
import type { Run } from './options.js';
import { authenticate } from './sep10.js';
import { peekRecord } from './sep24.js';
import { readIntent } from './service.js';
import type { EndedState, ReportedState } from './state.js';

/** A withdrawal that was paid out. */
export interface OfframpResult {
  state: EndedState;
  /** The intent as the service returns it; null if it does not answer. `outcome` is null if only the anchor reported one. */
  intent: IntentAnswer | null;
  /** What was paid out, in fiat; null if neither the service nor the anchor says. */
  amountOut: string | null;
}

const lastWords: ReadonlySet<string> = new Set([
  'completed',
  'refunded',
  'error',
  'expired',
  'no_market',
  'too_large',
  'too_small',
]);

/**
 * Waits for the outcome that the service records. If it records none within `patienceMs` of a final status of the anchor
 * (it is unavailable, doubts the anchor, or waits for an anchor that may still pay out), that status decides.
 */
export async function follow(run: Run, state: ReportedState | EndedState): Promise<OfframpResult> {
  const renewal = new AbortController();
  try {
    return await untilEnded(run, state, renewal.signal);
  } finally {
    renewal.abort();
  }
}

async function untilEnded(
  run: Run,
  state: ReportedState | EndedState,
  renewalSignal: AbortSignal,
): Promise<OfframpResult> {
  const ended: EndedState = { ...state, step: 'ended' };
  let last = '';
  let saidAt = 0;
  let heardAt = run.clock();
  let isRenewed = false;
  for (;;) {
    const intent = await orUnknown(readIntent(run, state.intentHash));
    if (intent?.outcome) {
      await run.save(ended);
      return byOutcome(ended, intent, intent.outcome);
    }
    const peeked = await peekRecord(run, state);
    if (peeked === 'unauthorised' && !isRenewed) {
      isRenewed = true;
      renewToken(run, state, renewalSignal);
    }
    const record = peeked === 'unauthorised' ? null : peeked;
    if (intent !== null || record !== null) heardAt = run.clock();
    if (run.clock() - heardAt >= run.patienceMs) {
      throw new Stop('service_unavailable', { detail: 'nor does the anchor answer' });
    }
    if (record !== null && record.status !== last) {
      last = record.status;
      saidAt = run.clock();
      run.onStatus(last);
    }
    if (record !== null && lastWords.has(last) && run.clock() - saidAt >= run.patienceMs) {
      // `error` is not final: an anchor may recover, and the service records an outcome when it stops waiting.
      if (last === 'error') throw new Stop('anchor_error');
      await run.save(ended);
      return byRecord(ended, intent, record);
    }
    await run.wait(run.pollMs, run.signal);
  }
}

/** Does not block: a wallet prompt that nobody answers must not keep the service from being asked. */
function renewToken(run: Run, { anchor, terms }: ReportedState | EndedState, signal: AbortSignal): void {
  authenticate({ ...run, signal }, anchor, terms.account).then(
    (token) => {
      run.token = token;
    },
    // Without a new token, the outcome is followed without the anchor's record.
    () => undefined,
  );
}

/** Null if a party does not answer or refuses, since a payment that was made is followed all the same. */
async function orUnknown<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await orNull(call);
  } catch (error) {
    if (error instanceof Stop) return null;
    throw error;
  }
}

function byOutcome(
  state: EndedState,
  intent: IntentAnswer,
  { status, reason, amountOut }: NonNullable<IntentAnswer['outcome']>,
): OfframpResult {
  if (status === 'settled') return { state, intent, amountOut };
  if (reason === 'refunded') throw new Stop('refunded', { moneyMoved: 'returned' });
  throw new Stop('not_paid_out', { detail: reason, moneyMoved: 'yes' });
}

function byRecord(state: EndedState, intent: IntentAnswer | null, record: AnchorTransaction): OfframpResult {
  if (record.status === 'refunded') throw new Stop('refunded', { moneyMoved: 'returned' });
  const { destinationAsset } = state.anchor;
  if (record.status !== 'completed') {
    throw new Stop('not_paid_out', { detail: record.status, moneyMoved: 'yes' });
  }
  const isFiat = isAsset(record.amountOutAsset ?? destinationAsset, destinationAsset);
  return { state, intent, amountOut: isFiat ? record.amountOut : null };
}
