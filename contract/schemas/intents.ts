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

/** Whether and how an intent ended. */
export const intentStatus = z
  .enum(['pending', 'settled', 'failed', 'expired'])
  .describe(
    '`pending`: no outcome yet. `settled`: paid out. `failed`: the anchor received the funds and did not pay out. ' +
      '`expired`: ended without funds received; counts against nobody.',
  );
export type IntentStatus = z.infer<typeof intentStatus>;

/** The id the anchor gave the withdrawal: printable ASCII without spaces. */
export const anchorTransactionId = z
  .string()
  .regex(/^[\x21-\x7e]{1,128}$/, 'must be 1 to 128 printable ASCII characters without spaces')
  .describe('The `id` the anchor gave the withdrawal (SEP-24 or SEP-6).');

/** Why an intent failed, and when exactly each reason is given. */
export const failureReasons = {
  refunded: 'Failed: the anchor sent the funds back.',
  error: 'Failed: the anchor closed the withdrawal without paying out, and it stayed closed for 24 hours.',
  overdue: "Failed: still open when the corridor's time for a payout was over.",
  unproven: 'Failed: the anchor called it completed, but named no amount paid out within 24 hours.',
  customer_absent:
    'Failed: the anchor waited 30 days for the customer to collect the cash or to answer a question. It counts for nobody.',
} as const;

export type FailureReason = keyof typeof failureReasons;

/** Why an intent ended as it did, and when exactly each reason is given. */
export const outcomeReasons = {
  completed:
    'Settled: the anchor completed the withdrawal and names the amount paid out, or for 24 hours one that cannot be read.',
  recovered: 'Settled: it had failed, and the anchor completed it within 30 days.',
  ...failureReasons,
  no_transaction: 'Expired: no transaction was attached in time.',
  never_funded: 'Expired: the anchor saw no funds in time.',
  abandoned: 'Expired: the anchor closed the withdrawal before it saw funds.',
} as const;

export type OutcomeReason = keyof typeof outcomeReasons;

/** Why an outcome is left out of the scores. */
export const unscoredReasons = {
  not_a_withdrawal: 'The transaction is not a withdrawal.',
  sender_mismatch: "The transaction names another sender than the intent's account.",
  asset_mismatch: "The transaction names another asset than the corridor's.",
  amount_mismatch:
    'The amount paid in is not within 10 % of the sell amount, or is another one and was sent back.',
  amount_missing: 'It was completed without saying what was paid in.',
  amount_unreadable: "It was completed, and an amount of the anchor's record could not be read for 24 hours.",
  started_before_intent: 'The transaction was started before the intent was registered.',
  seen_after_payment:
    'The transaction was first seen after the funds had been received, and no late first poll excuses that (docs/intents.md).',
  customer_absent: 'The anchor waited 30 days for its customer.',
} as const;

export type UnscoredReason = keyof typeof unscoredReasons;

/** What is wrong with the transaction id that an intent shows. */
export const transactionProblems = {
  unknown_to_anchor:
    'The anchor answers that it has no transaction with this id, or did so until the service stopped asking for it.',
  not_a_withdrawal: "The anchor's record does not say that it is a withdrawal.",
  other_account: "The anchor's record names another sender than the intent's account.",
  other_asset: "The anchor's record names other assets than those of the corridor.",
  unreadable_amount:
    "An amount of the anchor's record is there and cannot be read; it is never taken for missing.",
  held_by_another:
    'Another intent presented this id first and follows the transaction. It passes to this intent if the record names ' +
    'this account as the sender up to the arrival of the funds, and before the other intent has an outcome.',
  passed_to_another:
    'This intent followed the transaction, which then passed to another intent that had presented it too: that of the ' +
    'account that paid, or signed for it, or to which the anchor sends its callbacks, or the id had been guessed.',
} as const;

export type TransactionProblem = keyof typeof transactionProblems;

/** Whether an outcome counts in the anchor's reputation. */
export const outcomeCounts = {
  filled: 'It counts as paid out.',
  not_filled: 'It counts as not paid out.',
  no: 'It does not count; `uncountedReason` says why.',
} as const;

/** Why an outcome does not count. */
export const uncountedReasons = {
  ...unscoredReasons,
  below_least_amount: 'Less than 10 units of stablecoin were to be sold.',
  account_day_full: 'Three earlier outcomes of the same account, anchor, corridor and UTC day count.',
  unverified: 'Its payment could not be verified on the ledger, which counts against nobody.',
  expired: 'It expired, which counts against nobody.',
  dispute_accepted: 'An accepted dispute excluded it.',
} as const;

export type UncountedReason = keyof typeof uncountedReasons;

/** What an outcome rests on, and when exactly each value is given. */
const outcomeEvidences = {
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
    recordedAt: instant.describe('When it was first recorded here; a recovery does not change this.'),
    amountOut: decimalAnswer
      .nullable()
      .describe(
        "Fiat paid out according to the anchor's record (`amount_out`), with the currency's minor units at least. Null " +
          'unless settled, if the record names another asset, and for outcomes recorded before this member existed.',
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
      .describe(
        'Seconds from payment to payout (for cash: to ready for pick-up); null unless settled, and if not known.',
      ),
    shortfall: decimalAnswer
      .nullable()
      .describe("Share by which the payout fell short of the anchor's own quote, nine places, or null."),
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
      "Fiat received for it, all fees included, with the currency's minor units.",
    ),
    rate: decimalAnswer.describe('Fiat per one stablecoin, all fees included.'),
    adjusted: z.boolean().describe('Whether the anchor quoted another amount than the one asked for.'),
    quotedAt: instant.describe('When the anchor answered.'),
    unranked: unrankedReason
      .nullable()
      .describe(
        `Why the quote would not be ranked; the payout is still compared with it. Null where it is, and for older intents. ${unrankedReason.description}`,
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
        "The anchor's last status; `unrecognised` if SEP-24 and SEP-6 do not have it; null if there was none yet.",
      ),
    lastSeenAt: instant.nullable().describe('When it was last read, by poll or callback.'),
    fundsReceivedAt: instant
      .nullable()
      .describe('When it was first observed that the funds were received, or null.'),
    readyAt: instant.nullable().describe('Since when cash is ready for pick-up, or null.'),
    problem: mayGrow(enumOfMeanings(transactionProblems)).nullable(),
  })
  .describe(
    "The anchor's transaction, as last seen. `problem`: what the last poll found wrong with the id; null if nothing, and before the first poll.",
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
export type IntentDispute = z.infer<typeof intentDispute>;

/** The kinds of steps of an intent, and when exactly each is given. */
const stepKinds = {
  registered: 'The intent was registered.',
  transaction_attached: 'The intent follows a transaction of the anchor, or another one than before.',
  transaction_released: 'Its transaction passed to another intent, which it belongs to.',
  transaction_status: "The anchor's status of the transaction changed.",
  payment_found: 'Its payment was found on the ledger.',
  funds_received: 'The anchor has the funds.',
  ready_for_pickup: 'Cash is ready to be collected.',
  settled: 'It was paid out.',
  failed: 'The anchor received the funds and did not pay out.',
  expired: 'It ended without funds received.',
  recovered: 'It had failed, and was paid out after all.',
  reopened: 'It had expired, and its payment was found on the ledger: it is followed again.',
} as const;

export type StepKind = keyof typeof stepKinds;

/** A transition of an intent. */
export const intentStep = z
  .object({
    kind: mayGrow(enumOfMeanings(stepKinds)),
    at: instant.describe('When it happened, as exactly as is known.'),
    transactionStatus: z
      .string()
      .nullable()
      .describe(
        "The anchor's new status of the transaction, where `kind` is `transaction_status`; else null.",
      ),
  })
  .describe('A transition of the intent.');
export type IntentStep = z.infer<typeof intentStep>;

/** The current state of an intent. The nonce is never part of it. */
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
    steps: z
      .array(intentStep)
      .describe(
        'Every transition so far, in the order in which this service learned of them: one may have happened before the ' +
          'one above it. Beyond 100, only those of the outcome are added.',
      ),
  })
  .describe('An off-ramp intent, its outcome and its dispute.');
export type IntentAnswer = z.infer<typeof intentAnswer>;

/** The secret of an intent. */
export const intentNonce = z
  .string()
  .regex(/^[A-Za-z0-9_-]{22,64}$/, 'must be 22 to 64 of A-Z, a-z, 0-9, _ and -')
  .describe('Random, kept secret by the wallet: anyone who knows it may attach a transaction.');

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
        'Until when the payment may be made: in the future, at most 30 days; 24 hours when absent. ISO 8601 with `Z` ' +
          'or an offset. Hashed in UTC with milliseconds.',
      ),
    nonce: intentNonce,
    anchorTransactionId: anchorTransactionId.optional(),
  })
  .strict()
  .describe('An off-ramp intent. No bank details, ever.');
export type CreateIntentBody = z.infer<typeof createIntentBody>;

/**
 * The body that attaches a transaction to a registered intent, or names its payment. Unknown members are refused, so that
 * no bank details slip in.
 */
export const attachTransactionBody = z
  .object({
    nonce: intentNonce,
    anchorTransactionId: anchorTransactionId.optional(),
    paymentHash: paymentHash.optional(),
    accountSignature: z
      .string()
      .regex(/^[A-Za-z0-9+/]{86}==$/, 'must be 64 bytes in base64')
      .optional()
      .describe(
        "The account's Ed25519 signature over the SEP-53 form of the intentHash, in base64. Of several intents that name " +
          'the account, one that was signed holds the transaction.',
      ),
  })
  .strict()
  .describe(
    'The nonce that the intent was registered with, and the id of its withdrawal, the hash of its payment, or both.',
  );
export type AttachTransactionBody = z.infer<typeof attachTransactionBody>;

/** An anchor's status callback: the answer of its `/transaction` endpoint. Only listed members are read. */
export const statusCallbackBody = z
  .object({ transaction: z.object({}).passthrough().optional().describe('The SEP-24 or SEP-6 transaction.') })
  .passthrough()
  .describe('What `GET /transaction` of the anchor would answer: `{transaction: {id, status, …}}`.');

/** The effect of a callback. */
export const statusCallbackAnswer = z
  .object({
    intentHash: intentHashText,
    status: intentStatus,
    applied: z
      .boolean()
      .describe(
        'False if the callback says nothing new: it is older, repeated, or about another transaction.',
      ),
  })
  .describe('The callback was genuine; `status` is the status of the intent after it.');
export type StatusCallbackAnswer = z.infer<typeof statusCallbackAnswer>;

const count = z.number().int().min(0);

/** What a reconciliation did. */
export const reconcileAnswer = z
  .object({
    startedAt: instant.describe('When it began.'),
    finishedAt: instant.describe('When it ended.'),
    looked: count.describe('Intents that were due and processed.'),
    polled: count.describe('Intents whose transaction was requested from the anchor.'),
    settled: count.describe('Intents that became settled, recoveries included.'),
    recovered: count.describe('Settled intents that had failed before.'),
    failed: count.describe('Intents that became failed.'),
    expired: count.describe('Intents that became expired.'),
    leftOpen: count.describe('Intents left open, to be processed again later.'),
    unreachable: count.describe('Intents without a result: the anchor did not answer, or not validly.'),
    notFound: count.describe('Intents whose transaction the anchor does not know.'),
    lookedUp: count.describe('Intents whose payment was looked up on the ledger.'),
    more: z
      .boolean()
      .describe('Whether intents were still due when the run ended; the next run goes on there.'),
  })
  .describe('What the reconciliation processed, with the results.');
export type ReconcileAnswer = z.infer<typeof reconcileAnswer>;
