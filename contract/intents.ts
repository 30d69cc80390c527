import { initContract } from '@ts-rest/core';
import { z } from 'zod';
import { deliveryMethod } from './corridors.js';
import { anchorTransactionId, type IntentAnswer, intentAnswer, intentStatus } from './intent-answer.js';
import {
  anchorId,
  corridorId,
  decimalString,
  instant,
  intentHash,
  noQuery,
  stablecoinAmount,
} from './primitives.js';
import { publicKeyText } from './public-key.js';
import { describeRoute } from './route-metadata.js';

const c = initContract();

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

/** An anchor's status callback: the answer of its `/transaction` endpoint. Only listed members are read. */
export const statusCallbackBody = z
  .object({ transaction: z.object({}).passthrough().optional().describe('The SEP-24 or SEP-6 transaction.') })
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
export type StatusCallbackAnswer = z.infer<typeof statusCallbackAnswer>;

/** Without an `expiresAt`, which would be over one day: the example can be sent as it is. */
const exampleTerms = {
  corridor: 'usdc-ngn',
  anchorId: 'harbour',
  account: 'GBXFXNDLV4LSWA4VB7YIL5GBD7BVNR22SGBTDKMO2SBZZHDXSKZYCP7L',
  sellAmount: '100',
  minReceive: '150000',
  deliveryMethod: 'bank_account',
} as const;

const exampleHash = 'acffc35a01a279d205d20851c951e760b811d65b6e16f396ed99c108b054f3f7';

const exampleIntent = {
  intentHash: exampleHash,
  status: 'pending',
  ...exampleTerms,
  createdAt: '2026-11-21T09:30:00.000Z',
  expiresAt: '2026-11-22T09:30:00.000Z',
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
      query: noQuery,
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
      query: noQuery,
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
      query: noQuery,
      body: statusCallbackBody,
      responses: { 200: statusCallbackAnswer, ...reportStatus.errors },
      metadata: reportStatus.metadata,
    },
  },
  { strictStatusCodes: true },
);
