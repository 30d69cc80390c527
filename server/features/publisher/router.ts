import { initServer } from '@ts-rest/express';
import { publisherContract } from '../../../contract/endpoints/publisher.js';
import type { PublisherHealth } from '../../../contract/schemas/publisher.js';
import { ApiError } from '../../errors.js';
import { setFreshness } from '../../http/send-json.js';
import { readLimit } from '../../paging.js';
import type { BatchLog } from './log.js';
import type { Tick } from './tick.js';

/** Short, because a batch may still get its receipt. */
const batchFreshSeconds = 5;
/** A cached answer is not misleading, since `checkedAt` gives the time of the check. */
const healthFreshSeconds = 1;
/** Entries never change. */
const entriesFreshSeconds = 86_400;

export function createPublisherRouter(deps: {
  tick: Tick;
  health: () => Promise<PublisherHealth>;
  log: BatchLog;
  /** Cache-Control: public instead of private. */
  publicCache: boolean;
}) {
  const { tick, health, log } = deps;
  const cache = { public: deps.publicCache } as const;
  return initServer().router(publisherContract, {
    tickPublisher: async () => {
      const outcome = await tick();
      if (!outcome.ran) {
        const { startedAt } = outcome;
        throw new ApiError('RUN_IN_PROGRESS', 'A tick is running already.', { startedAt });
      }
      return { status: 200, body: outcome.value };
    },
    getPublisherHealth: async ({ res }) => {
      const body = await health();
      setFreshness(res, { seconds: healthFreshSeconds, ...cache });
      return { status: 200, body };
    },
    listBatches: async ({ query, res }) => {
      const from = query.from === undefined ? undefined : Number(query.from);
      const limit = readLimit(query.limit);
      const body = await log.list({ order: query.order, from, limit, cursor: query.cursor });
      setFreshness(res, { seconds: batchFreshSeconds, ...cache });
      return { status: 200, body };
    },
    getBatch: async ({ params, res }) => {
      const body = await log.get(Number(params.sequence));
      setFreshness(res, { seconds: batchFreshSeconds, ...cache });
      return { status: 200, body };
    },
    listBatchEntries: async ({ params, query, res }) => {
      const page = { limit: readLimit(query.limit), cursor: query.cursor };
      const body = await log.entries(Number(params.sequence), page);
      setFreshness(res, { seconds: entriesFreshSeconds, ...cache });
      return { status: 200, body };
    },
    proveBatchEntry: async ({ params, query, res }) => {
      const body = await log.prove(Number(params.sequence), query);
      // The batch of the entry may still get its receipt.
      setFreshness(res, { seconds: batchFreshSeconds, ...cache });
      return { status: 200, body };
    },
  });
}
