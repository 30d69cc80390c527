import { z } from 'zod';
import { publicKeyText } from '../verification/public-key.js';
import { deliveryMethod } from './corridors.js';
import { disputeId, disputeStatus } from './disputes.js';
import { intentPayment, paymentHash } from './payments.js';
import {
  anchorId,
  anchorInRequest,
  corridorId,
  corridorInRequest,
  decimalAnswer,
  decimalString,
  enumOfMeanings,
  instant,
  intentHashText,
  mayGrow,
  sentInstant,
  stablecoinAmount,
} from './primitives.js';
import { quoteTier, unrankedReason } from './rates.js';

export type {
  AttachTransactionBody,
  CreateIntentBody,
  IntentAnswer,
  IntentDispute,
  IntentQuote,
  IntentStatus,
  IntentTransition,
  ReconcileAnswer,
  StatusCallbackAnswer,
} from '../client/types/intents.js';

/** `pending` until it ended; then how. `expired` counts against nobody. */
export const intentStatus = z
  .enum(['pending', 'settled', 'failed', 'expired'])
  .describe(
    '`pending`: no outcome yet. `settled`: paid out. `failed`: the anchor received the funds and did not pay out. ' +
      '`expired`: ended without funds received (or cash that was never collected); counts against nobody.',
  );

/** The id the anchor gave the withdrawal: printable ASCII without spaces. */
export const anchorTransactionId = z
  .string()
  .regex(/^[\x21-\x7e]{1,128}$/, 'must be 1 to 128 printable ASCII characters without spaces')
  .describe('The `id` the anchor gave the withdrawal (SEP-24 or SEP-6).');

/** Why an intent failed, and when exactly each reason is given. */
export const failureReasons = {
  refunded: 'Failed: the anchor sent the funds back.',
  error: 'Failed: the anchor closed the withdrawal without paying out, and left it so for 24 hours.',
  overdue: "Failed: still open when the corridor's time for a payout was over.",
  unproven: 'Failed: called completed, but 24 hours later without an amount paid out.',
} as const;

export type FailureReason = keyof typeof failureReasons;

/** Why an intent ended as it did, and when exactly each reason is given. */
export const outcomeReasons = {
  completed: 'Settled: the anchor completed the withdrawal and names the amount paid out.',
  recovered: 'Settled: it had failed, and the anchor completed it within 30 days.',
  ...failureReasons,
  no_transaction: 'Expired: no transaction was attached in time.',
  never_funded: 'Expired: the anchor saw no funds in time.',
  abandoned: 'Expired: the anchor closed the withdrawal before it saw funds.',
  not_collected: 'Expired: the cash lay ready for 90 days and was not collected.',
} as const;

export type OutcomeReason = keyof typeof outcomeReasons;

/** Why an outcome is left out of the scores. */
export const unscoredReasons = {
  not_a_withdrawal: 'The transaction is not a withdrawal.',
  sender_mismatch: "The transaction names another sender than the intent's account.",
  asset_mismatch: "The transaction names another asset than the corridor's.",
  amount_mismatch: 'The amount paid in is not within 10 % of the sell amount.',
  amount_missing: 'It was completed without saying what was paid in.',
  started_before_intent: 'The transaction was started before the intent was registered.',
  seen_after_payment:
    'The transaction was first seen after the funds had been received, and its record does not excuse a late look.',
} as const;

export type UnscoredReason = keyof typeof unscoredReasons;

/** What is wrong with the transaction id that an intent shows. */
export const transactionProblems = {
  unknown_to_anchor:
    'The anchor answers that it has no transaction of this id, or answered so until it was given up.',
  not_a_withdrawal: "The anchor's record does not say that it is a withdrawal.",
  other_account: "The anchor's record names another sender than the intent's account.",
  other_asset: "The anchor's record names other assets than those of the corridor.",
  held_by_another:
    'Another intent presented this id first and follows it. It passes to this intent if the record names this account ' +
    'as the sender up to the arrival of the funds, and before the other intent has an outcome.',
  passed_to_another:
    "It was followed by this intent, and passed to another one that presented it too and whose account the anchor's " +
    'record names as the sender.',
} as const;

export type TransactionProblem = keyof typeof transactionProblems;

/** Whether an outcome counts in the anchor's reputation. */
export const outcomeCounts = {
  pending: 'Not decided yet: the next aggregation decides, within seconds as a rule.',
  filled: 'It counts as paid out.',
  not_filled: 'It counts as not paid out.',
  no: 'It does not count; `uncountedReason` says why.',
} as const;

/** Why an outcome does not count. */
export const uncountedReasons = {
  ...unscoredReasons,
  below_least_amount: 'Less than 10 units of stablecoin were to be sold.',
  account_day_full:
    'Three other outcomes of the same account, anchor, corridor and UTC day were counted before it.',
  unverified: 'Its payment could not be verified on the ledger, which counts against nobody.',
  expired: 'It expired, which counts against nobody.',
  dispute_accepted: 'An accepted dispute took it out.',
} as const;

export type UncountedReason = keyof typeof uncountedReasons;

/** What an outcome rests on, and when exactly each word is given. */
export const outcomeEvidences = {
  ledger: 'The payment was found on the ledger and is that of this intent.',
  anchor: "The anchor's word: the service had no ledger to ask when the outcome was recorded.",
  unverified: 'A ledger is configured, but the payment could not be verified there: it counts for nobody.',
} as const;

export type OutcomeEvidence = keyof typeof outcomeEvidences;

/** How an intent ended. */
export const intentOutcome = z
  .object({
    status: z.enum(['settled', 'failed', 'expired']).describe('How it ended.'),
    reason: mayGrow(enumOfMeanings(outcomeReasons)),
    recordedAt: instant.describe('When it was first recorded here; a recovery keeps it.'),
    amountOut: decimalAnswer
      .nullable()
      .describe(
        "Fiat paid out, by the anchor's record (`amount_out`), with the currency's minor units at least. Null unless " +
          'settled, where the record names another asset, and for outcomes recorded before it was kept.',
      ),
    paidOutAt: instant
      .nullable()
      .describe(
        'When the anchor completed the payout, as exactly as it was observed (cash: when it was collected); null unless settled.',
      ),
    recoveredAt: instant.nullable().describe('When a failed intent became settled, or null.'),
    settleSeconds: z
      .number()
      .int()
      .min(0)
      .nullable()
      .describe('Seconds from payment to pay-out (for cash: to ready for pick-up); null unless settled.'),
    shortfall: decimalAnswer
      .nullable()
      .describe("Share by which the pay-out fell short of the anchor's own quote, nine places, or null."),
    scored: z
      .boolean()
      .describe('Whether the transaction is one that may count; `counts` says whether the outcome does.'),
    unscoredReason: mayGrow(enumOfMeanings(unscoredReasons)).nullable(),
    evidence: enumOfMeanings(outcomeEvidences, 'What the outcome rests on.'),
    counts: enumOfMeanings(outcomeCounts),
    uncountedReason: mayGrow(enumOfMeanings(uncountedReasons)).nullable(),
  })
  .describe('How the intent ended.');

/** The quote an intent was accepted against. */
export const intentQuote = z
  .object({
    tier: quoteTier,
    sellAmount: decimalAnswer.describe('Stablecoin given; may differ from the amount asked for.'),
    receiveAmount: decimalAnswer.describe(
      "Fiat received for it, all fees in, with the currency's minor units.",
    ),
    rate: decimalAnswer.describe('Fiat per one stablecoin, all fees in.'),
    adjusted: z.boolean().describe('Whether the anchor quoted another amount than the one asked for.'),
    quotedAt: instant.describe('When the anchor answered.'),
    unranked: unrankedReason
      .nullable()
      .describe(
        'Why it would not be ranked among the rates: it is far from what others pay. The anchor is still held to it. ' +
          `Null where it is ranked, and for intents registered before this was kept. ${unrankedReason.description}`,
      ),
  })
  .describe('The quote the intent was accepted against; indicative, never firm.');

/** What the anchor last said of the transaction that the intent follows. */
export const followedTransaction = z
  .object({
    id: anchorTransactionId,
    status: z
      .string()
      .nullable()
      .describe(
        "The anchor's last status word; `unrecognised` for one outside SEP-24 and SEP-6; null: none yet.",
      ),
    lastSeenAt: instant.nullable().describe('When it was last read, by poll or callback.'),
    fundsReceivedAt: instant.nullable().describe('When funds received were first seen, or null.'),
    readyAt: instant.nullable().describe('Since when cash is ready for pick-up, or null.'),
    problem: mayGrow(enumOfMeanings(transactionProblems)).nullable(),
  })
  .describe(
    "The anchor's transaction, as last seen. `problem`: what the last look found wrong with the id; null: nothing, or not heard of yet.",
  );

/** The dispute of an intent, in short. */
export const intentDispute = z
  .object({
    disputeId,
    status: disputeStatus,
    createdAt: instant,
    resolvedAt: instant.nullable(),
  })
  .describe('The dispute filed against the outcome.');

/** An intent as it stands. The nonce is never part of it. */
export const intentAnswer = z
  .object({
    intentHash: intentHashText,
    status: intentStatus,
    corridor: corridorId,
    anchorId,
    account: z.string().describe('The account that sells, as `G…`.'),
    sellAmount: decimalAnswer.describe('Stablecoin to sell.'),
    minReceive: decimalAnswer
      .nullable()
      .describe("Least fiat the wallet accepts, with the currency's minor units, or null."),
    deliveryMethod: z.string().nullable().describe('The delivery method asked for, or null for any.'),
    createdAt: instant,
    expiresAt: instant.describe('Until when the payment may be made.'),
    quote: intentQuote
      .nullable()
      .describe('The quote it was accepted against; null where the anchor had none at that moment.'),
    statusCallbackUrl: z
      .string()
      .describe(
        'Give it to the anchor as `on_change_callback`, so that it tells this service of every change.',
      ),
    transaction: followedTransaction
      .nullable()
      .describe('The attached transaction, or one that is only claimed (see `problem`), or null.'),
    payment: intentPayment
      .nullable()
      .describe(
        'What was named as the payment and what was found on the ledger; null where nothing was named.',
      ),
    outcome: intentOutcome.nullable().describe('Null while pending.'),
    dispute: intentDispute.nullable(),
  })
  .describe('An off-ramp intent, its outcome and its dispute.');

/** What a step of an intent was, and when exactly each word is given. */
export const transitionKinds = {
  registered: 'The intent was registered.',
  transaction_attached: 'It follows a transaction of the anchor, or another one than before.',
  transaction_released: 'Its transaction passed to another intent, whose account paid it.',
  transaction_status: "The anchor's status word for the transaction is another one.",
  payment_found: 'Its payment was found on the ledger.',
  funds_received: 'The anchor has the funds.',
  ready_for_pickup: 'Cash is ready to be collected.',
  settled: 'It was paid out.',
  failed: 'The anchor received the funds and did not pay out.',
  expired: 'It ended without funds received, or without the cash being collected.',
  recovered: 'It had failed, and was paid out after all.',
  reopened: 'It had expired, and its payment was found on the ledger: it is followed again.',
} as const;

export type TransitionKind = keyof typeof transitionKinds;

/** A step of an intent, as its stream tells it. */
export const intentTransition = z
  .object({
    number: z
      .number()
      .int()
      .min(1)
      .describe(
        '1 for the first, without gaps: the same on every instance and at every time. The `id` of the event.',
      ),
    kind: mayGrow(enumOfMeanings(transitionKinds)),
    at: instant.describe('When it happened, as exactly as is known; one may be told after a later one.'),
    status: intentStatus.describe('The status of the intent after it.'),
    transactionStatus: z
      .string()
      .nullable()
      .describe("The anchor's status word for the transaction after it; null: none yet."),
    last: z.boolean().describe('Whether nothing can follow, so that the stream ends after it.'),
    intent: intentAnswer.describe(
      'The intent as it stands when this is sent: it has this transition, and may have later ones.',
    ),
  })
  .describe('A step of an intent, and the intent as it stands.');

/** The secret of an intent. */
export const intentNonce = z
  .string()
  .regex(/^[A-Za-z0-9_-]{22,64}$/, 'must be 22 to 64 of A-Z, a-z, 0-9, _ and -')
  .describe('Random, kept secret by the wallet: knowing it is the right to attach a transaction.');

/** Terms of an intent as a wallet sends them. Unknown members are refused, so that no bank details slip in. */
export const createIntentBody = z
  .object({
    corridor: corridorInRequest,
    anchorId: anchorInRequest,
    account: publicKeyText.describe(
      'The account that sells: `G…` or 64 hex digits. `M…` and `C…` are refused.',
    ),
    sellAmount: stablecoinAmount,
    minReceive: decimalString(3)
      .optional()
      .describe(
        'Least fiat to accept, at most as many places as the currency has; 409 if the quote is below.',
      ),
    deliveryMethod: deliveryMethod.optional(),
    expiresAt: sentInstant
      .optional()
      .describe(
        'Until when the payment may be made: in the future, at most 30 days; 24 hours when absent. ISO 8601, ' +
          '`2026-11-21T09:30:00Z`; decimals of a second and an offset are read. Hashed in UTC with milliseconds.',
      ),
    nonce: intentNonce,
    anchorTransactionId: anchorTransactionId.optional(),
  })
  .strict()
  .describe('An off-ramp intent. No bank details, ever.');

/**
 * What attaches a transaction to a registered intent, or names its payment. Unknown members are refused, so that no
 * bank details slip in.
 */
export const attachTransactionBody = z
  .object({
    nonce: intentNonce,
    anchorTransactionId: anchorTransactionId.optional(),
    paymentHash: paymentHash.optional(),
  })
  .strict()
  .describe(
    'The nonce that the intent was registered with, and the id of its withdrawal, the hash of its payment, or both.',
  );

/** An anchor's status callback: the answer of its `/transaction` endpoint. Only listed members are read. */
export const statusCallbackBody = z
  .object({ transaction: z.object({}).passthrough().optional().describe('The SEP-24 or SEP-6 transaction.') })
  .passthrough()
  .describe('What `GET /transaction` of the anchor would answer: `{transaction: {id, status, …}}`.');

/** What became of a callback. */
export const statusCallbackAnswer = z
  .object({
    intentHash: intentHashText,
    status: intentStatus,
    applied: z
      .boolean()
      .describe(
        'False where it says nothing new: an older or repeated callback, or one of another transaction.',
      ),
  })
  .describe('The callback was genuine; the intent stands as said.');

const count = z.number().int().min(0);

/** What a reconciliation did. */
export const reconcileAnswer = z
  .object({
    startedAt: instant.describe('When it began.'),
    finishedAt: instant.describe('When it ended.'),
    looked: count.describe('Intents whose turn it was.'),
    polled: count.describe('Those whose transaction was asked for at the anchor.'),
    settled: count.describe('Became settled, recoveries included.'),
    recovered: count.describe('Those among them that had failed before.'),
    failed: count.describe('Became failed.'),
    expired: count.describe('Became expired.'),
    leftOpen: count.describe('Left open; looked at again later.'),
    unreachable: count.describe('Left without a reading: the anchor did not answer, or not validly.'),
    notFound: count.describe('The anchor knows no such transaction.'),
    lookedUp: count.describe('Intents whose payment was looked up on the ledger.'),
    removed: count.describe('Unpaid intents that were removed after their look-back.'),
    more: z.boolean().describe('Whether some were still due when the run ended; the next one goes on there.'),
  })
  .describe('What the reconciliation looked at and what came of it.');
