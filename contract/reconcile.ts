import { initContract } from '@ts-rest/core';
import { z } from 'zod';
import { instant, noBody, noQuery } from './primitives.js';
import { describeRoute } from './route-metadata.js';

const c = initContract();

const count = z.number().int().min(0);

/** What a reconciliation did. */
export const reconcileAnswer = z
  .object({
    startedAt: instant.describe('When it began.'),
    finishedAt: instant.describe('When it ended.'),
    looked: count.describe('Intents whose turn it was.'),
    polled: count.describe('Those whose transaction was asked for at the anchor.'),
    settled: count.describe('Became settled, recoveries included.'),
    recovered: count.describe('Those among them that had failed before.'),
    failed: count.describe('Became failed.'),
    expired: count.describe('Became expired.'),
    leftOpen: count.describe('Left open; looked at again later.'),
    unreachable: count.describe('Left without a reading: the anchor did not answer, or not validly.'),
    notFound: count.describe('The anchor knows no such transaction.'),
    more: z.boolean().describe('Whether some were still due when the run ended; the next one goes on there.'),
  })
  .describe('What the reconciliation looked at and what came of it.');

export type ReconcileAnswer = z.infer<typeof reconcileAnswer>;

const reconcile = describeRoute({
  method: 'POST',
  operationId: 'reconcile',
  tag: 'reputation',
  access: 'internal',
  limit: 'default',
  cache: 'no-store',
  errors: ['RUN_IN_PROGRESS'],
  example: {
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
      more: false,
    } satisfies ReconcileAnswer,
  },
});

export const reconcileContract = c.router(
  {
    reconcile: {
      method: reconcile.method,
      path: '/api/reputation/reconcile',
      summary: 'Ask the anchors how open intents stand',
      description:
        'Polls the SEP-24 and SEP-6 transactions of open intents whose turn it is, one worker an anchor, a bounded ' +
        'batch a run, and records outcomes. Anchors that granted no partner token are not polled: their callbacks ' +
        'report. Answers 200 with what it did; 409 while another run is under way. The body may be empty or absent.',
      query: noQuery,
      body: noBody,
      responses: { 200: reconcileAnswer, ...reconcile.errors },
      metadata: reconcile.metadata,
    },
  },
  { strictStatusCodes: true },
);
