import { initContract } from '@ts-rest/core';
import { z } from 'zod';
import { deliveryMethod } from './corridors.js';
import { intentOutcome } from './intent-outcome.js';
import {
  anchorId,
  corridorId,
  decimalAnswer,
  decimalString,
  instant,
  intentHash,
  stablecoinAmount,
} from './primitives.js';
import { quoteTier } from './rates.js';
import { describeRoute } from './route-metadata.js';
import { publicKeyText } from './strkey.js';

const c = initContract();

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

/** Terms of an intent as a wallet sends them. Unknown members are refused, so that no bank details slip in. */
export const createIntentBody = z
  .object({
    corridor: corridorId,
    anchorId,
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
    expiresAt: instant
      .optional()
      .describe('Until when the payment may be made: in the future, at most 30 days. 24 hours when absent.'),
    nonce: z
      .string()
      .regex(/^[A-Za-z0-9_-]{22,64}$/, 'must be 22 to 64 of A-Z, a-z, 0-9, _ and -')
      .describe('Random, kept secret by the wallet: knowing it is the right to attach a transaction.'),
    anchorTransactionId: anchorTransactionId.optional(),
  })
  .strict()
  .describe('An off-ramp intent. No bank details, ever.');

/** The quote an intent was accepted against. */
export const intentQuote = z
  .object({
    tier: quoteTier,
    sellAmount: decimalAnswer.describe('Stablecoin given; may differ from the amount asked for.'),
    receiveAmount: decimalAnswer.describe('Fiat received for it, all fees in.'),
    rate: decimalAnswer.describe('Fiat per one stablecoin, all fees in.'),
    adjusted: z.boolean().describe('Whether the anchor quoted another amount than the one asked for.'),
    quotedAt: instant.describe('When the anchor answered.'),
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
  })
  .describe("The anchor's transaction, as last seen.");

/** The dispute of an intent, in short. */
export const intentDispute = z
  .object({
    disputeId: z.string(),
    status: z.enum(['open', 'accepted', 'rejected']),
    createdAt: instant,
    resolvedAt: instant.nullable(),
  })
  .describe('The dispute filed against the outcome.');

/** An intent as it stands. The nonce is never part of it. */
export const intentAnswer = z
  .object({
    intentHash,
    status: intentStatus,
    corridor: corridorId,
    anchorId,
    account: z.string().describe('The account that sells, as `G…`.'),
    sellAmount: decimalAnswer,
    minReceive: decimalAnswer.nullable(),
    deliveryMethod: z.string().nullable(),
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
    transaction: followedTransaction.nullable().describe('The attached transaction, or null.'),
    outcome: intentOutcome.nullable().describe('Null while pending.'),
    dispute: intentDispute.nullable(),
  })
  .describe('An off-ramp intent, its outcome and its dispute.');

/** An anchor's status callback: the answer of its `/transaction` endpoint. Only listed members are read. */
export const statusCallbackBody = z
  .object({ transaction: z.object({}).passthrough().optional() })
  .passthrough()
  .describe('What `GET /transaction` of the anchor would answer: `{transaction: {id, status, …}}`.');

/** What became of a callback. */
export const statusCallbackAnswer = z
  .object({
    intentHash,
    status: intentStatus,
    applied: z
      .boolean()
      .describe(
        'False where it says nothing new: an older or repeated callback, or one of another transaction.',
      ),
  })
  .describe('The callback was genuine; the intent stands as said.');

export type CreateIntentBody = z.infer<typeof createIntentBody>;
export type IntentAnswer = z.infer<typeof intentAnswer>;
export type IntentStatus = z.infer<typeof intentStatus>;
export type IntentQuote = z.infer<typeof intentQuote>;
export type IntentDispute = z.infer<typeof intentDispute>;
export type StatusCallbackAnswer = z.infer<typeof statusCallbackAnswer>;

const exampleTerms = {
  corridor: 'usdc-ngn',
  anchorId: 'harbour',
  account: 'GBXFXNDLV4LSWA4VB7YIL5GBD7BVNR22SGBTDKMO2SBZZHDXSKZYCP7L',
  sellAmount: '100',
  minReceive: '150000',
  deliveryMethod: 'bank_account',
  expiresAt: '2026-11-21T12:00:00.000Z',
} as const;

const exampleHash = 'ecf7915d4b12964245f25f62b96c7137e84ab3a4fd915755504dad21b01a1871';

const exampleIntent = {
  intentHash: exampleHash,
  status: 'pending',
  ...exampleTerms,
  createdAt: '2026-11-21T09:30:00.000Z',
  quote: {
    tier: 'anchor',
    sellAmount: '100',
    receiveAmount: '152340.55',
    rate: '1523.4055',
    adjusted: false,
    quotedAt: '2026-11-21T09:29:58.000Z',
  },
  statusCallbackUrl: `https://fairlead.example/api/intent/${exampleHash}/status`,
  transaction: null,
  outcome: null,
  dispute: null,
} satisfies IntentAnswer;

const createIntent = describeRoute({
  method: 'POST',
  operationId: 'createIntent',
  tag: 'intents',
  access: 'public',
  limit: 'intent',
  cache: 'no-store',
  errors: [
    'QUOTE_BELOW_MINIMUM',
    'TRANSACTION_CONFLICT',
    'UNSUPPORTED_PAIR',
    'AMOUNT_OUT_OF_RANGE',
    'RATES_UNAVAILABLE',
  ],
  example: {
    body: { ...exampleTerms, nonce: 'hV7rM2xkQ0c9ZpYw4TnB1g' } satisfies CreateIntentBody,
    answer: exampleIntent,
  },
});

const getIntent = describeRoute({
  method: 'GET',
  operationId: 'getIntent',
  tag: 'intents',
  access: 'public',
  limit: 'default',
  cache: 'no-store',
  errors: ['UNKNOWN_INTENT'],
  example: {
    params: { intentHash: exampleHash },
    answer: {
      ...exampleIntent,
      status: 'settled',
      transaction: {
        id: '82fhs729f63dh0v4',
        status: 'completed',
        lastSeenAt: '2026-11-21T09:36:10.000Z',
        fundsReceivedAt: '2026-11-21T09:34:40.000Z',
        readyAt: null,
      },
      outcome: {
        status: 'settled',
        reason: 'completed',
        recordedAt: '2026-11-21T09:36:10.000Z',
        recoveredAt: null,
        settleSeconds: 88,
        shortfall: '0.000000000',
        scored: true,
        unscoredReason: null,
      },
    } satisfies IntentAnswer,
  },
});

const reportStatus = describeRoute({
  method: 'POST',
  operationId: 'reportIntentStatus',
  tag: 'intents',
  access: 'callback',
  limit: 'default',
  cache: 'no-store',
  errors: ['UNKNOWN_INTENT', 'INVALID_SIGNATURE'],
  example: {
    params: { intentHash: exampleHash },
    body: {
      transaction: {
        id: '82fhs729f63dh0v4',
        kind: 'withdrawal',
        status: 'pending_external',
        amount_in: '100',
        stellar_transaction_id: '17a670bc424ff5ce3b386dbfaae9990b66a2a37b4fbe51547e8794962a3f9e6a',
      },
    },
    answer: {
      intentHash: exampleHash,
      status: 'pending',
      applied: true,
    } satisfies StatusCallbackAnswer,
  },
});

export const intentsContract = c.router(
  {
    createIntent: {
      method: createIntent.method,
      path: '/api/intent/offramp',
      summary: 'Register an off-ramp intent, or attach its transaction',
      description:
        'Records what an account is about to sell through an anchor, against the quote of this moment. The intentHash ' +
        'is computed from the terms (`intentHash` of the contract package), so the same intent sent again is the same ' +
        'intent: 201 the first time, 200 with its present state after that. Send it again with `anchorTransactionId` ' +
        'to attach the transaction the anchor made of it; a different one later is 409, as is one that belongs to ' +
        'another intent. Where the anchor has no quote at the moment the intent is accepted with `quote: null`, unless ' +
        'it names `minReceive`, which cannot be checked then (503).',
      query: z.object({}).strict(),
      body: createIntentBody,
      responses: { 201: intentAnswer, 200: intentAnswer, ...createIntent.errors },
      metadata: createIntent.metadata,
    },
    getIntent: {
      method: getIntent.method,
      path: '/api/intent/:intentHash',
      summary: 'Read an intent',
      description: 'The intent as it stands: the transaction it follows, its outcome and its dispute.',
      pathParams: z.object({ intentHash }),
      query: z.object({}).strict(),
      responses: { 200: intentAnswer, ...getIntent.errors },
      metadata: getIntent.metadata,
    },
    reportStatus: {
      method: reportStatus.method,
      path: '/api/intent/:intentHash/status',
      summary: "Take an anchor's status callback",
      description:
        'Called by anchors (SEP-6 and SEP-24 `on_change_callback`). The `Signature` header, `t=<unix seconds>, ' +
        "s=<base64>`, must be the anchor's Ed25519 signature with its SIGNING_KEY over `<t>.<host>.<body>`, host being " +
        'that of this service, and `t` within two minutes. Anything else is 403 and changes nothing. Of the body only ' +
        'the members that say how the transaction stands are read; bank details are neither stored nor logged.',
      pathParams: z.object({ intentHash }),
      query: z.object({}).strict(),
      body: statusCallbackBody,
      responses: { 200: statusCallbackAnswer, ...reportStatus.errors },
      metadata: reportStatus.metadata,
    },
  },
  { strictStatusCodes: true },
);
