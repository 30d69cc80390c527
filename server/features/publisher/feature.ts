import { initServer } from '@ts-rest/express';
import type { Response } from 'express';
import { publisherContract } from '../../../contract/endpoints/publisher.js';
import { scoresContract } from '../../../contract/endpoints/reputation.js';
import { fromHex } from '../../../contract/verification/bytes.js';
import { resultOf } from '../../errors.js';
import { freshAnswer } from '../../http/send-json.js';
import { tickEveryMs } from '../../jobs/schedule.js';
import type { Leases } from '../../mongo/leases.js';
import { createInLeasedTransaction, type InTransaction } from '../../mongo/transactions.js';
import type { Outbound } from '../../outbound/outbound.js';
import { createSigner, publicBatchKey } from './batch.rules.js';
import { createHealth, type ReadHealth } from './health.js';
import { type BatchLog, createBatchLog, type LogDeps } from './log.js';
import { createOracle } from './oracle.js';
import { createTick, publisherLease, type Tick, type TickDeps } from './tick.js';

/** Leases to seed at startup. */
export const publisherLeases = [publisherLease] as const;

export interface PublisherDeps
  extends Omit<LogDeps, 'publishes'>,
    Pick<TickDeps, 'ticks' | 'writeEvent' | 'leaseTtlMs' | 'logger'> {
  leases: Pick<Leases, 'run' | 'read'>;
  inTransaction: InTransaction;
  /** PUBLISHER_SECRET_KEY: an Ed25519 seed, 64 hex digits; undefined: nothing is published. */
  secretKey: string | undefined;
  /** PUBLISHER_OLD_KEYS: public keys, 64 hex digits each. */
  oldKeys: readonly string[];
  /** ORACLE_URL; undefined: the signed log is published without an oracle. */
  oracleUrl: string | undefined;
  /** A connector that trusts the origin of `oracleUrl`. */
  outbound: Outbound;
  /** Cache-Control: public instead of private. */
  publicCache: boolean;
}

export type Publisher = ReturnType<typeof createPublisherFeature>;

export function createPublisherFeature(deps: PublisherDeps) {
  const { leases, oracleUrl, outbound } = deps;
  const inLeasedTransaction = createInLeasedTransaction(deps.inTransaction);
  const signer = deps.secretKey === undefined ? undefined : createSigner(deps.secretKey);
  const log = createBatchLog({ ...deps, publishes: signer !== undefined });
  const oracle = oracleUrl === undefined ? undefined : createOracle({ url: oracleUrl, outbound });
  /** A job: submits the waiting batches and publishes changed cards. */
  const tick = createTick({ ...deps, inLeasedTransaction, oracle, signer });
  const health = createHealth({
    ...deps,
    hasOracle: oracle !== undefined,
    lease: () => leases.read(publisherLease),
    currentKey: signer,
    oldKeys: deps.oldKeys.map((key) => publicBatchKey(fromHex(key))),
    staleAfterMs: 3 * tickEveryMs,
  });
  return { tick, health, log, routers: createRouters(tick, health, log, deps.publicCache) };
}

const freshSeconds = {
  /** Short, because a batch may still get its receipt. */
  batch: 5,
  /** A cached answer is not misleading, since `checkedAt` gives the time of the check. */
  health: 1,
  /** They never change. */
  entries: 86_400,
  scores: 10,
};

function createRouters(tick: Tick, health: ReadHealth, log: BatchLog, publicCache: boolean) {
  const fresh = async <T>(res: Response, seconds: number, read: Promise<T>) =>
    freshAnswer(res, { seconds, public: publicCache }, await read);

  const publisher = initServer().router(publisherContract, {
    tickPublisher: async () => ({ status: 200, body: resultOf(await tick()) }),
    getPublisherHealth: ({ res }) => fresh(res, freshSeconds.health, health()),
    listBatches: ({ query, res }) => fresh(res, freshSeconds.batch, log.list(query)),
    getBatch: ({ params, res }) => fresh(res, freshSeconds.batch, log.get(Number(params.sequence))),
    listBatchEntries: ({ params, query, res }) =>
      fresh(res, freshSeconds.entries, log.entries(Number(params.sequence), query)),
    proveBatchEntry: ({ params, query, res }) =>
      fresh(res, freshSeconds.batch, log.prove(Number(params.sequence), query)),
  });
  const scores = initServer().router(scoresContract, {
    getPublicScores: ({ query, res }) => fresh(res, freshSeconds.scores, log.scores(query)),
  });
  return { publisher, scores };
}
