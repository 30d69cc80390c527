import { initContract } from '@ts-rest/core';
import { z } from 'zod';
import { describeRoute } from '../describe-route.js';
import {
  adminDispute,
  disputeAnswer,
  disputeId,
  disputeStatus,
  disputeSupport,
  fileDisputeBody,
  resolveDisputeBody,
} from '../schemas/disputes.js';
import { anchorInRequest, intentHashText, noQuery, page, pageQuery } from '../schemas/primitives.js';

const c = initContract();

export const disputesContract = c.router(
  {
    fileDispute: describeRoute({
      method: 'POST',
      path: '/api/reputation/dispute',
      operationId: 'fileDispute',
      tag: 'disputes',
      access: 'signed',
      limit: 'dispute',
      cache: 'no-store',
      errors: [
        'UNKNOWN_INTENT',
        'SIGNER_NOT_ENTITLED',
        'INVALID_SIGNATURE',
        'ANCHOR_MISMATCH',
        'INTENT_UNRESOLVED',
        'DISPUTE_WINDOW_CLOSED',
        'DISPUTE_EXISTS',
      ],
      leadsTo: {
        getIntent: { intentHash: '$response.body#/intentHash' },
        getDispute: { id: '$response.body#/id' },
        resolveDispute: { 'body.id': '$response.body#/id' },
      },
      summary: 'Dispute an outcome',
      description:
        "Files a dispute signed by the intent's account (against a settled outcome, or one that expired although a " +
        'transaction was attached) or by the anchor (against a failed one), within 30 days. The signature over ' +
        'intentHash is verified before anything is stored. `getIntent` shows the dispute. The same dispute sent again ' +
        'answers 200. In 24 hours a key can file ten disputes, and make ten attempts from one client; the default limit ' +
        'of the client applies too. Of expired intents whose transaction the anchor never showed, one client can dispute ' +
        'three in 24 hours, and all clients together 200 per anchor. The headers show the limit with the least left.',
      query: noQuery,
      body: fileDisputeBody,
      responses: { 200: disputeAnswer, 201: disputeAnswer },
    }),
  },
  { strictStatusCodes: true },
);

export const adminDisputesContract = c.router(
  {
    listDisputes: describeRoute({
      method: 'GET',
      path: '/api/admin/disputes',
      operationId: 'listDisputes',
      tag: 'admin',
      access: 'admin',
      limit: 'default',
      cache: 'no-store',
      errors: ['UNSUPPORTED_PAIR'],
      leadsTo: {
        getDispute: { id: '$response.body#/items/0/id' },
        resolveDispute: { 'body.id': '$response.body#/items/0/id' },
      },
      summary: 'List disputes',
      description:
        'Disputes with their reasons and audit trails: the supported ones first, then the unsupported ones, newest ' +
        'first in each part; filtered by status, support, anchor, intent and id. ' +
        'The list is empty for an intent or id that no dispute has.',
      query: z
        .object({
          status: disputeStatus.optional(),
          support: disputeSupport.optional(),
          anchor: anchorInRequest.optional().describe('Only disputes that concern this anchor.'),
          intent: intentHashText.optional().describe('Only disputes of this intent.'),
          id: disputeId.optional().describe('Only the dispute with this id.'),
          ...pageQuery,
        })
        .strict(),
      responses: { 200: page(adminDispute) },
    }),
    getDispute: describeRoute({
      method: 'GET',
      path: '/api/admin/disputes/:id',
      operationId: 'getDispute',
      tag: 'admin',
      access: 'admin',
      limit: 'default',
      cache: 'no-store',
      errors: ['UNKNOWN_DISPUTE'],
      summary: 'Read a dispute',
      description:
        'One dispute with its reason, its audit trail and what accepting it changes. The event `dispute.created` names the id.',
      pathParams: z.object({ id: disputeId }),
      query: noQuery,
      responses: { 200: adminDispute },
    }),
    resolveDispute: describeRoute({
      method: 'POST',
      path: '/api/admin/disputes',
      operationId: 'resolveDispute',
      tag: 'admin',
      access: 'admin',
      limit: 'default',
      cache: 'no-store',
      errors: ['UNKNOWN_DISPUTE', 'DISPUTE_RESOLVED', 'INTENT_UNRESOLVED'],
      summary: 'Accept or reject a dispute',
      description:
        'Decides a dispute, once: the same verdict again answers 200 with the dispute, the opposite one 409. Accepting an ' +
        'unsupported dispute requires `evidence`. Accepting changes how the outcome counts, unless the anchor has made ' +
        'the disputed failure good in the meantime; the scores follow with the next refresh.',
      query: noQuery,
      body: resolveDisputeBody,
      responses: { 200: adminDispute },
    }),
  },
  { strictStatusCodes: true },
);
