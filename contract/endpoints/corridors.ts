import { initContract } from '@ts-rest/core';
import { z } from 'zod';
import { describeRoute } from '../describe-route.js';
import { corridorPage } from '../schemas/corridors.js';
import { pageQuery } from '../schemas/primitives.js';

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
