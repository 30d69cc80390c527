import { initContract } from '@ts-rest/core';
import { z } from 'zod';
import { describeRoute } from '../describe-route.js';
import {
  attachTransactionBody,
  createIntentBody,
  intentAnswer,
  reconcileAnswer,
  statusCallbackAnswer,
  statusCallbackBody,
} from '../schemas/intents.js';
import { intentHashText, noBody, noQuery } from '../schemas/primitives.js';

const c = initContract();

export const intentsContract = c.router(
  {
    createIntent: describeRoute({
      method: 'POST',
      path: '/api/intent/offramp',
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
      leadsTo: {
        getIntent: { intentHash: '$response.body#/intentHash' },
        attachTransaction: { intentHash: '$response.body#/intentHash', 'body.nonce': '$request.body#/nonce' },
        fileDispute: {
          'body.intentHash': '$response.body#/intentHash',
          'body.anchorId': '$response.body#/anchorId',
        },
      },
      summary: 'Register an off-ramp intent, or attach its transaction',
      description:
        'Records what an account is about to sell through an anchor, with the current quote. The intentHash is ' +
        'computed from the terms (`intentHash` of the contract package), so the same terms are the same intent: 201 ' +
        'the first time, 200 with its current state after that. Send the intent again with `anchorTransactionId` to ' +
        'attach the transaction that the anchor created for it. Another id replaces it until the anchor has shown a ' +
        'record of it; after that, another id is 409. An id that another intent holds is 409 too, but the claim is ' +
        'stored: before the holder has an outcome, the transaction passes to the intent whose account the anchor ' +
        'names as the sender. If the anchor has no quote now, the intent is accepted with `quote: null`, unless it ' +
        'names `minReceive`, which then cannot be checked (503). A client that already holds its share of the unpaid ' +
        'intents gets 503 `NOT_READY` for a new one.',
      query: noQuery,
      body: createIntentBody,
      responses: { 201: intentAnswer, 200: intentAnswer },
    }),
    getIntent: describeRoute({
      method: 'GET',
      path: '/api/intent/:intentHash',
      operationId: 'getIntent',
      tag: 'intents',
      access: 'public',
      limit: 'default',
      cache: 'no-store',
      errors: ['UNKNOWN_INTENT'],
      summary: 'Read an intent',
      description:
        'The current state of the intent: the transaction it follows, its outcome and its dispute, and how it came to it.',
      pathParams: z.object({ intentHash: intentHashText }),
      query: noQuery,
      responses: { 200: intentAnswer },
    }),
    stream: describeRoute({
      method: 'GET',
      path: '/api/intent/:intentHash/stream',
      operationId: 'streamIntent',
      tag: 'intents',
      access: 'public',
      limit: 'streams',
      cache: 'no-store',
      stream: { event: 'intent', problems: false },
      errors: ['UNKNOWN_INTENT'],
      summary: 'Follow an intent',
      description:
        'The current answer of `GET /api/intent/{intentHash}`, and the next one whenever the intent or its dispute ' +
        'changes, until either side closes the stream; whoever opens it again gets the current answer. A client stops by ' +
        'the `status`: after `settled` and `expired` hardly anything follows, after `failed` the payout may, for 30 days. ' +
        'By default at most 20 streams are open for one client address (docs/streams.md).',
      pathParams: z.object({ intentHash: intentHashText }),
      query: noQuery,
      responses: { 200: intentAnswer },
    }),
    attachTransaction: describeRoute({
      method: 'POST',
      path: '/api/intent/:intentHash/transaction',
      operationId: 'attachTransaction',
      tag: 'intents',
      access: 'public',
      limit: 'default',
      cache: 'no-store',
      errors: ['UNKNOWN_INTENT', 'TRANSACTION_CONFLICT'],
      leadsTo: {
        getIntent: { intentHash: '$response.body#/intentHash' },
      },
      summary: 'Attach the transaction of an intent',
      description:
        'Does the same as sending the intent again with `anchorTransactionId`, but takes the nonce in place of the ' +
        'terms and does not count as a registration. The same id sent again is 200 with the current state of the ' +
        'intent. A wrong nonce is 404, like an unknown hash.',
      pathParams: z.object({ intentHash: intentHashText }),
      query: noQuery,
      body: attachTransactionBody,
      responses: { 200: intentAnswer },
    }),
    reportStatus: describeRoute({
      method: 'POST',
      path: '/api/intent/:intentHash/status',
      operationId: 'reportIntentStatus',
      tag: 'intents',
      access: 'callback',
      limit: 'callback',
      cache: 'no-store',
      errors: ['UNKNOWN_INTENT', 'INVALID_SIGNATURE'],
      summary: "Take an anchor's status callback",
      description:
        'Called by anchors (SEP-6 and SEP-24 `on_change_callback`). The `Signature` header, `t=<unix seconds>, ' +
        "s=<base64>`, must be the anchor's Ed25519 signature with its SIGNING_KEY over `<t>.<host>.<body>`, host " +
        'being that of this service, and `t` within two minutes. Anything else is 403 and changes nothing. Only the ' +
        'members that describe the state of the transaction are read; bank details are neither stored nor logged. ' +
        'Callbacks with a valid signature are counted per anchor, and others per client address, 60 per 60 s. The ' +
        'headers show the limit that the request was counted by.',
      pathParams: z.object({ intentHash: intentHashText }),
      query: noQuery,
      body: statusCallbackBody,
      responses: { 200: statusCallbackAnswer },
    }),
  },
  { strictStatusCodes: true },
);

export const reconcileContract = c.router(
  {
    reconcile: describeRoute({
      method: 'POST',
      path: '/api/reputation/reconcile',
      operationId: 'reconcile',
      tag: 'reputation',
      access: 'internal',
      limit: 'default',
      cache: 'no-store',
      errors: ['RUN_IN_PROGRESS'],
      summary: 'Poll the anchors for the state of open intents',
      description:
        'Polls the SEP-24 and SEP-6 transactions of open intents that are due, one worker per anchor, a bounded batch per ' +
        'run, and records outcomes. Anchors that granted no partner token are not polled: they report by callbacks. ' +
        'Answers 200 with what it did; 409 while another run is under way. The body may be empty or absent.',
      query: noQuery,
      body: noBody,
      responses: { 200: reconcileAnswer },
    }),
  },
  { strictStatusCodes: true },
);
