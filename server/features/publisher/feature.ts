import type { PublisherHealth } from '../../../contract/schemas/publisher.js';
import { fromHex } from '../../../contract/verification/bytes.js';
import type { Leases } from '../../mongo/leases.js';
import { createInLeasedTransaction, type InTransaction } from '../../mongo/transactions.js';
import type { Outbound } from '../../outbound/outbound.js';
import type { Clock, Logger, Random } from '../../ports.js';
import type { Emit } from '../../webhooks/outbox.js';
import { createWriteBatch } from './batch-writer.js';
import { createHealth } from './health.js';
import { type BatchLog, createBatchLog, type KnownFleet } from './log.js';
import { createOracle } from './oracle.js';
import { createPublisherRouter } from './router.js';
import { createSigner, publicBatchKey } from './signer.rules.js';
import type { PublisherStore } from './store.js';
import { createSubmitter, defaultRetry, type RetryPolicy } from './submitter.js';
import { createTick, publisherLease, type Tick, type TickDeps } from './tick.js';

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
  /** Since when nothing is published although there may be news; null where ticks do what they should. */
  heldSince(): Promise<Date | null>;
}

export interface PublisherDeps extends KnownFleet {
  store: PublisherStore;
  leases: Pick<Leases, 'run' | 'read'>;
  inTransaction: InTransaction;
  writeEvent: Emit;
  gatherCards: TickDeps['gatherCards'];
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
  const log = createBatchLog(batches, deps, deps.clock);
  const writes = { batches, ticks, inLeasedTransaction };
  const oracle =
    oracleUrl === undefined
      ? undefined
      : createOracle({ url: oracleUrl, outbound, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
  const tick = createTick({
    ...deps,
    ...writes,
    writeBatch: createWriteBatch(writes),
    submitter: createSubmitter({ ...deps, ...writes, oracle, retry: deps.retry ?? defaultRetry }),
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
    heldSince: async () => (await ticks.read()).heldSince,
    latestSequence: async () => (signer === undefined ? null : ((await batches.latest())?._id ?? null)),
  };
}
