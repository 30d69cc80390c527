import { initServer } from '@ts-rest/express';
import type { Response } from 'express';
import { publisherContract } from '../../../contract/endpoints/publisher.js';
import { scoresContract } from '../../../contract/endpoints/reputation.js';
import type { PublisherHealth } from '../../../contract/schemas/publisher.js';
import { ApiError } from '../../errors.js';
import { setFreshness } from '../../http/send-json.js';
import type { BatchLog } from './log.js';
import type { GetPublicScores } from './public-scores.js';
import type { Tick } from './tick.js';

const freshSeconds = {
  /** Short, because a batch may still get its receipt. */
  batch: 5,
  /** A cached answer is not misleading, since `checkedAt` gives the time of the check. */
  health: 1,
  /** They never change. */
  entries: 86_400,
  scores: 10,
};

/** @param deps.publicCache Cache-Control: public instead of private */
export function createPublisherRouters(deps: {
  tick: Tick;
  health: () => Promise<PublisherHealth>;
  log: BatchLog;
  getPublicScores: GetPublicScores;
  publicCache: boolean;
}) {
  const { tick, health, log, getPublicScores } = deps;

  async function fresh<T>(res: Response, what: keyof typeof freshSeconds, read: Promise<T>) {
    const body = await read;
    setFreshness(res, { seconds: freshSeconds[what], public: deps.publicCache });
    return { status: 200 as const, body };
  }

  const publisher = initServer().router(publisherContract, {
    tickPublisher: async () => {
      const outcome = await tick();
      if (outcome.ran) return { status: 200, body: outcome.value };
      const { startedAt } = outcome;
      throw new ApiError('RUN_IN_PROGRESS', 'A tick is running already.', { startedAt });
    },
    getPublisherHealth: ({ res }) => fresh(res, 'health', health()),
    listBatches: ({ query, res }) => fresh(res, 'batch', log.list(query)),
    getBatch: ({ params, res }) => fresh(res, 'batch', log.get(Number(params.sequence))),
    listBatchEntries: ({ params, query, res }) =>
      fresh(res, 'entries', log.entries(Number(params.sequence), query)),
    proveBatchEntry: ({ params, query, res }) =>
      fresh(res, 'batch', log.prove(Number(params.sequence), query)),
  });
  const scores = initServer().router(scoresContract, {
    getPublicScores: ({ query, res }) => fresh(res, 'scores', getPublicScores(query)),
  });
  return { publisher, scores };
}
