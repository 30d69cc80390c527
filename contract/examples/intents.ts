import type { intentsContract, reconcileContract } from '../endpoints/intents.js';
import type { IntentAnswer } from '../schemas/intents.js';
import type { ExamplesOf } from './examples-of.js';

const exampleTerms = {
  corridor: 'usdc-ngn',
  anchorId: 'harbour',
  account: 'GBXFXNDLV4LSWA4VB7YIL5GBD7BVNR22SGBTDKMO2SBZZHDXSKZYCP7L',
  sellAmount: '100',
  minReceive: '150000',
  deliveryMethod: 'bank_account',
} as const;

const exampleHash = 'acffc35a01a279d205d20851c951e760b811d65b6e16f396ed99c108b054f3f7';

const examplePayment = '17a670bc424ff5ce3b386dbfaae9990b66a2a37b4fbe51547e8794962a3f9e6a';

const exampleIntent = {
  intentHash: exampleHash,
  status: 'pending',
  ...exampleTerms,
  minReceive: '150000.00',
  createdAt: '2026-11-21T09:30:00.000Z',
  expiresAt: '2026-11-22T09:30:00.000Z',
  quote: {
    tier: 'anchor',
    sellAmount: '100',
    receiveAmount: '152340.55',
    rate: '1523.4055',
    adjusted: false,
    quotedAt: '2026-11-21T09:29:58.000Z',
    unranked: null,
  },
  statusCallbackUrl: `https://fairlead.example/api/intent/${exampleHash}/status`,
  transaction: null,
  payment: null,
  outcome: null,
  dispute: null,
  steps: [{ kind: 'registered', at: '2026-11-21T09:30:00.000Z', transactionStatus: null }],
} satisfies IntentAnswer;

const exampleAttached = {
  ...exampleIntent,
  transaction: {
    id: '82fhs729f63dh0v4',
    status: null,
    lastSeenAt: null,
    fundsReceivedAt: null,
    readyAt: null,
    problem: null,
  },
  steps: [
    ...exampleIntent.steps,
    { kind: 'transaction_attached', at: '2026-11-21T09:31:20.000Z', transactionStatus: null },
  ],
} satisfies IntentAnswer;

const exampleSettled = {
  ...exampleIntent,
  status: 'settled',
  transaction: {
    id: '82fhs729f63dh0v4',
    status: 'completed',
    lastSeenAt: '2026-11-21T09:36:10.000Z',
    fundsReceivedAt: '2026-11-21T09:34:40.000Z',
    readyAt: null,
    problem: null,
  },
  payment: {
    named: [
      { hash: examplePayment, by: 'wallet', lookedUpAt: '2026-11-21T09:34:46.000Z', problem: null },
      { hash: examplePayment, by: 'anchor', lookedUpAt: null, problem: null },
    ],
    found: {
      hash: examplePayment,
      namedBy: 'wallet',
      operationId: '257698089299693569',
      operation: 'payment',
      ledger: 60000012,
      closedAt: '2026-11-21T09:34:40.000Z',
      from: exampleTerms.account,
      fromMuxedId: null,
      to: 'GCLWGQPMKXQSPF776IU33AH4PZNOOWNAWGGKVTBQMIC5IMKUNP3E6NVU',
      toMuxedId: null,
      asset: 'stellar:USDC:GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN',
      amount: '100',
      memoType: 'id',
      memo: '186384',
      lookedUpAt: '2026-11-21T09:34:46.000Z',
      lookedUpIn: 'rpc',
    },
  },
  outcome: {
    status: 'settled',
    reason: 'completed',
    recordedAt: '2026-11-21T09:36:10.000Z',
    amountOut: '152340.55',
    paidOutAt: '2026-11-21T09:36:08.000Z',
    recoveredAt: null,
    settleSeconds: 88,
    shortfall: '0.000000000',
    scored: true,
    unscoredReason: null,
    evidence: 'ledger',
    counts: 'filled',
    uncountedReason: null,
  },
  steps: [
    ...exampleAttached.steps,
    { kind: 'transaction_status', at: '2026-11-21T09:34:40.000Z', transactionStatus: 'pending_anchor' },
    { kind: 'funds_received', at: '2026-11-21T09:34:40.000Z', transactionStatus: null },
    { kind: 'payment_found', at: '2026-11-21T09:34:46.000Z', transactionStatus: null },
    { kind: 'transaction_status', at: '2026-11-21T09:36:10.000Z', transactionStatus: 'completed' },
    { kind: 'settled', at: '2026-11-21T09:36:10.000Z', transactionStatus: null },
  ],
} satisfies IntentAnswer;

/**
 * "Try it out" on the documentation page sends the example of the request as it is. It must not register an intent, so
 * its deadline is past.
 */
const pastTerms = { ...exampleTerms, expiresAt: '2026-11-20T10:30:00.000Z', nonce: 'hV7rM2xkQ0c9ZpYw4TnB1g' };
const pastHash = '112eb617940246b0b22d9d4c36f2ef47ed4fe839d1033e1a3ca8e08ea9c43d9b';

export const intentsExamples: ExamplesOf<typeof intentsContract> = {
  createIntent: {
    body: pastTerms,
    answer: {
      ...exampleIntent,
      intentHash: pastHash,
      createdAt: '2026-11-20T09:30:00.000Z',
      steps: [{ kind: 'registered', at: '2026-11-20T09:30:00.000Z', transactionStatus: null }],
      expiresAt: pastTerms.expiresAt,
      quote: { ...exampleIntent.quote, quotedAt: '2026-11-20T09:29:58.000Z' },
      statusCallbackUrl: `https://fairlead.example/api/intent/${pastHash}/status`,
    },
  },
  getIntent: {
    params: { intentHash: exampleHash },
    answer: exampleSettled,
  },
  stream: {
    params: { intentHash: exampleHash },
    answer: exampleSettled,
  },
  attachTransaction: {
    params: { intentHash: exampleHash },
    body: { nonce: 'hV7rM2xkQ0c9ZpYw4TnB1g', anchorTransactionId: '82fhs729f63dh0v4' },
    answer: exampleAttached,
  },
  reportStatus: {
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
    },
  },
};

export const reconcileExamples: ExamplesOf<typeof reconcileContract> = {
  reconcile: {
    answer: {
      startedAt: '2026-11-21T09:36:00.000Z',
      finishedAt: '2026-11-21T09:36:03.412Z',
      looked: 14,
      polled: 12,
      settled: 5,
      recovered: 0,
      failed: 1,
      expired: 2,
      leftOpen: 6,
      unreachable: 1,
      notFound: 0,
      lookedUp: 4,
      more: false,
    },
  },
};
