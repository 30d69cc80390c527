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
import { nothingFollowed } from '../transition/settle-time.rules.js';

/** Lifetime of an intent for which the wallet sets no deadline; never part of the hash. */
const defaultLifetimeMs = 24 * 3_600_000;
const maxLifetimeMs = 30 * 24 * 3_600_000;

/** NaN for an instant that does not exist. */
function deadlineMs(expiresAt: string): number {
  return Date.parse(utcInstant(expiresAt) ?? '');
}

/** Whether the quote, scaled to the intent's amount where the anchor quoted another, pays out less than the minimum. */
export function paysLess(
  quote: Pick<AcceptedQuote, 'sellAmount' | 'receiveAmount'>,
  sellAmount: string,
  minReceive: string,
): boolean {
  const Exact = Decimal.clone({ precision: 100 });
  return new Exact(quote.receiveAmount).times(sellAmount).lt(new Exact(minReceive).times(quote.sellAmount));
}

/** How an anchor pays out in a corridor; without a delivery method, any is possible. */
export interface Served {
  deliveryMethods: readonly string[];
  collected: readonly string[];
}

/** An intent that was just accepted, without a transaction. The nonce is dropped: only its part in the hash is needed. */
export function newIntent(accepted: {
  intentHash: string;
  body: CreateIntentBody;
  corridor: Pick<Corridor, 'id' | 'sellAsset' | 'buyAsset' | 'overdueAfterSeconds'>;
  served?: Served;
  quote: AcceptedQuote | null;
  nowMs: number;
  /** The hash of the client that registers it. */
  client?: string | undefined;
}): Intent {
  const { intentHash, body, corridor, quote, nowMs, client = null } = accepted;
  const { deliveryMethods = [], collected = [] } = accepted.served ?? {};
  const { sellAsset, buyAsset, overdueAfterSeconds } = corridor;
  const createdAt = new Date(nowMs);
  const deadline = new Date(
    body.expiresAt === undefined ? nowMs + defaultLifetimeMs : deadlineMs(body.expiresAt),
  );
  const mayBeCollected =
    body.deliveryMethod === undefined
      ? deliveryMethods.length === 0 || collected.length > 0
      : findDeliveryMethod(collected, body.deliveryMethod) !== undefined;
  return {
    _id: intentHash,
    anchorId: body.anchorId,
    corridor: corridor.id,
    account: parsePublicKey(body.account).account,
    sellAmount: plainDecimal(body.sellAmount),
    minReceive: body.minReceive === undefined ? null : plainDecimal(body.minReceive),
    deliveryMethod: body.deliveryMethod ?? null,
    createdAt,
    client,
    deadline,
    quote,
    corridorTerms: { sellAsset, buyAsset, overdueAfterSeconds, mayBeCollected },
    status: 'pending',
    ...nothingFollowed,
    signed: false,
    payment: nothingKnown,
    contradicted: false,
    recoveredAt: null,
    open: true,
    due: deadline,
    version: 1,
    outcome: null,
    unscoredReason: null,
    disputeEffect: null,
    steps: [{ kind: 'registered', at: createdAt }],
  };
}

/**
 * Whether the intent was registered with this nonce. The nonce is not stored: the stored terms and this nonce must hash to
 * the id of the intent. The deadline is part of the hash only if the wallet set it; whether it did is not stored either,
 * so both hashes are tried.
 */
export function isNonceOf(intent: Intent, nonce: string): boolean {
  const { corridor, anchorId, account, sellAmount, minReceive, deliveryMethod } = intent;
  const terms = {
    corridor,
    anchorId,
    account,
    sellAmount,
    nonce,
    minReceive: minReceive ?? undefined,
    deliveryMethod: deliveryMethod ?? undefined,
  };
  const expiresAt = intent.deadline.toISOString();
  return hashOf({ ...terms, expiresAt }) === intent._id || hashOf(terms) === intent._id;
}

/**
 * Faults that the schema cannot see: a deadline in the past or too far ahead, a key that nobody owns, and more places than
 * the currency is paid out in.
 */
export function termFaults(body: CreateIntentBody, nowMs: number, payoutDecimals: number): ErrorDetail[] {
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
  if (new Decimal(body.minReceive ?? 0).decimalPlaces() > payoutDecimals) {
    const message = `must have at most ${payoutDecimals} places in this currency`;
    faults.push({ path: 'body.minReceive', message });
  }
  return faults;
}
