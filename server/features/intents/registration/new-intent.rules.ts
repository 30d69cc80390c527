import { Decimal } from 'decimal.js';
import type { ErrorDetail } from '../../../../contract/errors.js';
import type { CreateIntentBody } from '../../../../contract/schemas/intents.js';
import { utcInstant } from '../../../../contract/verification/instant.js';
import { intentHash as hashOf } from '../../../../contract/verification/intent-hash.js';
import { isSmallOrder, parsePublicKey } from '../../../../contract/verification/strkey.js';
import { plainDecimal } from '../../../amounts.rules.js';
import { findDeliveryMethod } from '../../../delivery-methods.rules.js';
import type { Corridor } from '../../anchors/fleet-file.rules.js';
import type { AcceptedQuote, Intent } from '../intent.js';
import { nothingKnown } from '../payment/payment-state.rules.js';
import { pollStateOf } from '../polls/poll-state.rules.js';
import { nothingObserved } from '../transition/settle-time.rules.js';

/** Lifetime of an intent for which the wallet sets no deadline; never part of the hash. */
const defaultLifetimeMs = 24 * 3_600_000;
const maxLifetimeMs = 30 * 24 * 3_600_000;

/** Faults that the schema cannot see: a deadline in the past or too far ahead, and a key that nobody owns. */
export function termFaults(body: CreateIntentBody, nowMs: number): ErrorDetail[] {
  const faults: ErrorDetail[] = [];
  if (isSmallOrder(parsePublicKey(body.account).key)) {
    faults.push({ path: 'body.account', message: 'is a small-order key, under which anyone can sign' });
  }
  if (body.expiresAt !== undefined) {
    const leftMs = deadlineMs(body.expiresAt) - nowMs;
    // `leftMs` is NaN for a date that does not exist, such as the 31st of February.
    if (!(leftMs > 0)) faults.push({ path: 'body.expiresAt', message: 'must be in the future' });
    else if (leftMs > maxLifetimeMs)
      faults.push({ path: 'body.expiresAt', message: 'must be at most 30 days ahead' });
  }
  return faults;
}

/** NaN for an instant that does not exist. */
function deadlineMs(expiresAt: string): number {
  return Date.parse(utcInstant(expiresAt) ?? '');
}

/** Refuses a `minReceive` with more places than the currency is paid out in. */
export function minReceiveFaults(minReceive: string | undefined, payoutDecimals: number): ErrorDetail[] {
  if (minReceive === undefined || new Decimal(minReceive).decimalPlaces() <= payoutDecimals) return [];
  return [
    { path: 'body.minReceive', message: `must have at most ${payoutDecimals} places in this currency` },
  ];
}

interface QuotedAmounts {
  sellAmount: string;
  receiveAmount: string;
}

/** Whether the quote, scaled to the intent's amount where the anchor quoted another, pays out less than the minimum. */
export function paysLess(quote: QuotedAmounts, sellAmount: string, minReceive: string): boolean {
  const Exact = Decimal.clone({ precision: 100 });
  return new Exact(quote.receiveAmount).times(sellAmount).lt(new Exact(minReceive).times(quote.sellAmount));
}

const anyMethod = { deliveryMethods: [], collected: [] };

/** An intent that was just accepted. The nonce is dropped: only its part in the hash is needed. */
export function newIntent(accepted: {
  intentHash: string;
  body: CreateIntentBody;
  corridor: Pick<Corridor, 'id' | 'sellAsset' | 'buyAsset' | 'overdueAfterSeconds'>;
  /** How the anchor pays out in this corridor; without a delivery method, any is possible. */
  served?: { deliveryMethods: readonly string[]; collected: readonly string[] };
  quote: AcceptedQuote | null;
  nowMs: number;
  /** The hash of the client that registers it. */
  client?: string | undefined;
  /** Whether its transaction, if it has one, has to wait before it is polled. */
  waits?: boolean;
}): Intent {
  const {
    intentHash,
    body,
    corridor,
    served = anyMethod,
    quote,
    nowMs,
    client = null,
    waits = false,
  } = accepted;
  const { sellAsset, buyAsset, overdueAfterSeconds } = corridor;
  const now = new Date(nowMs);
  const deadline = new Date(
    body.expiresAt === undefined ? nowMs + defaultLifetimeMs : deadlineMs(body.expiresAt),
  );
  const mayBeCollected =
    body.deliveryMethod === undefined
      ? served.deliveryMethods.length === 0 || served.collected.length > 0
      : findDeliveryMethod(served.collected, body.deliveryMethod) !== undefined;
  const attached = body.anchorTransactionId !== undefined;
  return {
    _id: intentHash,
    anchorId: body.anchorId,
    corridor: corridor.id,
    account: parsePublicKey(body.account).account,
    sellAmount: plainDecimal(body.sellAmount),
    minReceive: body.minReceive === undefined ? null : plainDecimal(body.minReceive),
    deliveryMethod: body.deliveryMethod ?? null,
    createdAt: now,
    client,
    deadline,
    quote,
    corridorTerms: { sellAsset, buyAsset, overdueAfterSeconds, mayBeCollected },
    status: 'pending',
    ...(body.anchorTransactionId === undefined ? {} : { transactionId: body.anchorTransactionId }),
    attachedAt: attached ? now : null,
    dialect: null,
    observations: nothingObserved,
    problem: null,
    told: null,
    claimedAt: null,
    signed: false,
    amountIn: null,
    payment: nothingKnown,
    contradicted: false,
    recoveredAt: null,
    callbacks: null,
    poll: pollStateOf({ attached, seen: false, unknownPolls: 0, waits }),
    unknownPolls: 0,
    open: true,
    due: attached && !waits ? now : deadline,
    version: 1,
    outcome: null,
    unscoredReason: null,
    disputeEffect: null,
  };
}

/** The same intent before any transaction was attached. */
export function withoutTransaction({ transactionId: _, ...intent }: Intent): Intent {
  return { ...intent, attachedAt: null, poll: 'never', due: intent.deadline };
}

/**
 * Whether the intent was registered with this nonce. The nonce is not stored: the stored terms and this nonce must hash to
 * the id of the intent. The deadline is part of the hash only if the wallet set it; whether it did is not stored either,
 * so both hashes are tried.
 */
export function isNonceOf(intent: Intent, nonce: string): boolean {
  const { corridor, anchorId, account, sellAmount, minReceive, deliveryMethod } = intent;
  const terms = {
    ...{ corridor, anchorId, account, sellAmount, nonce },
    minReceive: minReceive ?? undefined,
    deliveryMethod: deliveryMethod ?? undefined,
  };
  const expiresAt = intent.deadline.toISOString();
  return hashOf({ ...terms, expiresAt }) === intent._id || hashOf(terms) === intent._id;
}
