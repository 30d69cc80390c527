import { initContract } from '@ts-rest/core';
import { z } from 'zod';
import { describeRoute } from '../describe-route.js';
import { anchorAnswer, anchorPage } from '../schemas/anchors.js';
import { anchorInRequest, corridorInRequest, noQuery, pageQuery } from '../schemas/primitives.js';

const c = initContract();

export const anchorsContract = c.router(
  {
    listAnchors: describeRoute({
      method: 'GET',
      path: '/api/anchors',
      operationId: 'listAnchors',
      tag: 'anchors',
      access: 'public',
      limit: 'default',
      cache: 'etag',
      errors: ['UNSUPPORTED_PAIR'],
      leadsTo: {
        getAnchor: { anchor: '$response.body#/items/0/id' },
        getObservations: { anchor: '$response.body#/items/0/id' },
        getReputation: { anchor: '$response.body#/items/0/id' },
        getReputationHistory: { anchor: '$response.body#/items/0/id' },
      },
      summary: 'List the anchors',
      description:
        'Every anchor that is or was in the fleet, ordered by id; `corridor` keeps those that serve it now.',
      query: z
        .object({
          corridor: corridorInRequest.optional().describe('Only anchors that serve this corridor.'),
          ...pageQuery,
        })
        .strict(),
      responses: { 200: anchorPage },
    }),
    getAnchor: describeRoute({
      method: 'GET',
      path: '/api/anchors/:anchor',
      operationId: 'getAnchor',
      tag: 'anchors',
      access: 'public',
      limit: 'default',
      cache: 'etag',
      errors: ['UNKNOWN_ANCHOR'],
      leadsTo: {
        getObservations: { anchor: '$response.body#/id' },
        getReputation: { anchor: '$response.body#/id' },
      },
      summary: 'Read one anchor',
      description:
        'The anchor, the addresses it publishes, and how a wallet starts a withdrawal there. A delisted anchor ' +
        'stays readable.',
      pathParams: z.object({ anchor: anchorInRequest }),
      query: noQuery,
      responses: { 200: anchorAnswer },
    }),
  },
  { strictStatusCodes: true },
);
