import type { PublisherHealth } from '../../../contract/schemas/publisher.js';
import { fromHex } from '../../../contract/verification/bytes.js';
import type { Leases } from '../../mongo/leases.js';
import { createInLeasedTransaction, type InTransaction } from '../../mongo/transactions.js';
import type { Outbound } from '../../outbound/outbound.js';
import type { Clock, Logger, NewId, Random } from '../../ports.js';
import type { Emit } from '../../webhooks/outbox.js';
import { createBatchWriter } from './batch-writer.js';
import { createContinuity } from './continuity.js';
import { createHealth } from './health.js';
import { type BatchLog, createBatchLog, type KnownFleet } from './log.js';
import { createSubmitToOracle } from './oracle.js';
import { createOracleRecords } from './oracle-record.js';
import { createPublisherRouter } from './router.js';
import { createSigner, publicBatchKey } from './signer.rules.js';
import type { PublisherStore } from './store.js';
import { createSubmitter, defaultRetry, type RetryPolicy } from './submitter.js';
import { type CardSource, createTick, publisherLease, type Tick } from './tick.js';

/** Leases to seed at startup. */
export const publisherLeases = [publisherLease] as const;

export interface Publisher {
  router: ReturnType<typeof createPublisherRouter>;
  /** A job: submits the waiting batches and publishes changed cards. */
  tick: Tick;
  health(): Promise<PublisherHealth>;
  log: BatchLog;
  /** The sequence of the latest committed batch; null before the first, and where nothing is published. */
  latestSequence(): Promise<number | null>;
}

export interface PublisherDeps extends KnownFleet {
  store: PublisherStore;
  leases: Pick<Leases, 'run' | 'read'>;
  inTransaction: InTransaction;
  writeEvent: Emit;
  /** The cards of window 30 by each formula, in any order; one per anchor and corridor. */
  sources: readonly CardSource[];
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
  clock: Clock;
  newId: NewId;
  random: Random;
  logger: Logger;
  /** How often ticks are expected; health is `stale` after three such intervals. */
  tickIntervalMs?: number;
  leaseTtlMs?: number;
  oracleTimeoutMs?: number;
  retry?: RetryPolicy;
}

const defaultTickIntervalMs = 300_000;
const defaultLeaseTtlMs = 30_000;

export function createPublisherFeature(deps: PublisherDeps): Publisher {
  const { store, leases, oracleUrl, publicCache, outbound } = deps;
  const { tickIntervalMs = defaultTickIntervalMs, oracleTimeoutMs: timeoutMs } = deps;
  const { batches, ticks } = store;
  const hasOracle = oracleUrl !== undefined;
  const inLeasedTransaction = createInLeasedTransaction(deps.inTransaction);
  const signer = deps.secretKey === undefined ? undefined : createSigner(deps.secretKey);
  const log = createBatchLog(batches, deps);
  const writes = { batches, ticks, inLeasedTransaction };
  const retry = deps.retry ?? defaultRetry;
  const oracle = hasOracle
    ? { url: oracleUrl, outbound, ...(timeoutMs === undefined ? {} : { timeoutMs }) }
    : undefined;
  const tick = createTick({
    ...deps,
    ...writes,
    writer: createBatchWriter({ ...writes, newId: deps.newId, clock: deps.clock }),
    submitter: createSubmitter({
      ...deps,
      ...writes,
      submitToOracle: oracle && createSubmitToOracle(oracle),
      retry,
    }),
    continuity: createContinuity({
      ...deps,
      ...writes,
      records: oracle && createOracleRecords(oracle),
      retry,
    }),
    signer,
    hasOracle,
    leaseTtlMs: deps.leaseTtlMs ?? defaultLeaseTtlMs,
  });
  const health = createHealth({
    batches,
    ticks,
    lease: () => leases.read(publisherLease),
    currentKey: signer,
    oldKeys: deps.oldKeys.map((key) => publicBatchKey(fromHex(key))),
    hasOracle,
    staleAfterMs: 3 * tickIntervalMs,
    clock: deps.clock,
  });
  return {
    router: createPublisherRouter({ tick, health, log, publicCache }),
    tick,
    health,
    log,
    latestSequence: async () => (signer === undefined ? null : ((await batches.latest())?._id ?? null)),
  };
}
