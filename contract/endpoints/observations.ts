import { initContract } from '@ts-rest/core';
import { z } from 'zod';
import { describeRoute } from '../describe-route.js';
import { anchorObservations, observerRound } from '../schemas/observations.js';
import { anchorInRequest, noBody, noQuery } from '../schemas/primitives.js';

const c = initContract();

export const observationsContract = c.router(
  {
    getObservations: describeRoute({
      method: 'GET',
      path: '/api/anchors/:anchor/observations',
      operationId: 'getObservations',
      tag: 'anchors',
      access: 'public',
      limit: 'default',
      cache: 'etag',
      errors: ['UNKNOWN_ANCHOR'],
      summary: 'Read what was observed of one anchor',
      description:
        'The results of asking the anchor, on a schedule, what any wallet may ask it: availability and latency of its ' +
        'services, and how far its quotes differ from the mid-market. They need no intent and are not part of the score. ' +
        'A figure with too few observations is null, with the reason beside it.',
      pathParams: z.object({ anchor: anchorInRequest }),
      query: z
        .object({
          window: z.enum(['7', '30', '90']).optional().describe('7, 30 or 90 days; 30 when absent.'),
        })
        .strict(),
      responses: { 200: anchorObservations },
    }),
    observeAnchors: describeRoute({
      method: 'POST',
      path: '/api/observations/round',
      operationId: 'observeAnchors',
      tag: 'anchors',
      access: 'internal',
      limit: 'default',
      cache: 'no-store',
      errors: ['RUN_IN_PROGRESS'],
      summary: 'Observe the anchors of the fleet once',
      description:
        'Runs one round of the observer, whether it is scheduled (`OBSERVER`) or not. It takes ten seconds at most; ' +
        'anchors that it does not come to are the first of the next. Answers 200 with what it did; the body may be ' +
        'empty or absent.',
      query: noQuery,
      body: noBody,
      responses: { 200: observerRound },
    }),
  },
  { strictStatusCodes: true },
);
