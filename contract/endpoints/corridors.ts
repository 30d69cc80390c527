import { initContract } from '@ts-rest/core';
import { z } from 'zod';
import { describeRoute } from '../describe-route.js';
import { corridorPage } from '../schemas/corridors.js';
import { noQuery, pageQuery } from '../schemas/primitives.js';
import { snapshotAnswer } from '../schemas/snapshot.js';

const c = initContract();

export const corridorsContract = c.router(
  {
    listCorridors: describeRoute({
      method: 'GET',
      path: '/api/corridors',
      operationId: 'listCorridors',
      tag: 'corridors',
      access: 'public',
      limit: 'default',
      cache: 'etag',
      leadsTo: {
        getRates: { corridor: '$response.body#/items/0/id' },
        getRateHistory: { corridor: '$response.body#/items/0/id' },
        listAnchors: { corridor: '$response.body#/items/0/id' },
        getLeaderboard: { corridor: '$response.body#/items/0/id' },
      },
      summary: 'List the corridors',
      description:
        'Every corridor a rate can be asked for, with its limits and the anchors that serve it, ordered by id.',
      query: z.object(pageQuery).strict(),
      responses: { 200: corridorPage },
    }),
  },
  { strictStatusCodes: true },
);

export const snapshotContract = c.router(
  {
    getSnapshot: describeRoute({
      method: 'GET',
      path: '/api/snapshot',
      operationId: 'getSnapshot',
      tag: 'rates',
      access: 'public',
      limit: 'default',
      cache: 'etag',
      summary: 'Read the best offer of every corridor',
      description:
        'Every corridor at its reference amount: the best offer and the record of the anchor that makes it. ' +
        'Rebuilt in the background and served from memory; the first request after a start or an invalidation ' +
        'waits for the build.',
      query: noQuery,
      responses: { 200: snapshotAnswer },
    }),
  },
  { strictStatusCodes: true },
);
