import { fromHex } from '../../../contract/verification/bytes.js';
import type { Leases } from '../../mongo/leases.js';
import { createInLeasedTransaction, type InTransaction } from '../../mongo/transactions.js';
import type { Outbound } from '../../outbound/outbound.js';
import { createSigner, publicBatchKey } from './batch.rules.js';
import { createHealth } from './health.js';
import { createBatchLog, type KnownFleet } from './log.js';
import { createOracle } from './oracle.js';
import { createGetPublicScores } from './public-scores.js';
import { createPublisherRouters } from './router.js';
import { createTick, publisherLease, type TickDeps } from './tick.js';

/** Leases to seed at startup. */
export const publisherLeases = [publisherLease] as const;

export interface PublisherDeps
  extends KnownFleet,
    Pick<TickDeps, 'batches' | 'ticks' | 'publishedCards' | 'writeEvent' | 'clock' | 'logger'> {
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
  /** How often ticks are expected; health is `stale` after three such intervals. */
  tickIntervalMs?: number;
  leaseTtlMs?: number;
  oracleTimeoutMs?: number;
}

const defaultTickIntervalMs = 300_000;
const defaultLeaseTtlMs = 30_000;

export type Publisher = ReturnType<typeof createPublisherFeature>;

export function createPublisherFeature(deps: PublisherDeps) {
  const { batches, ticks, leases, oracleUrl, outbound, tickIntervalMs = defaultTickIntervalMs } = deps;
  const hasOracle = oracleUrl !== undefined;
  const inLeasedTransaction = createInLeasedTransaction(deps.inTransaction);
  const signer = deps.secretKey === undefined ? undefined : createSigner(deps.secretKey);
  const log = createBatchLog(batches, deps, deps.clock);
  const oracle = hasOracle
    ? createOracle({ url: oracleUrl, outbound, timeoutMs: deps.oracleTimeoutMs })
    : undefined;
  const leaseTtlMs = deps.leaseTtlMs ?? defaultLeaseTtlMs;
  const tick = createTick({ ...deps, inLeasedTransaction, oracle, signer, leaseTtlMs });
  const health = createHealth({
    ...deps,
    hasOracle,
    lease: () => leases.read(publisherLease),
    currentKey: signer,
    oldKeys: deps.oldKeys.map((key) => publicBatchKey(fromHex(key))),
    staleAfterMs: 3 * tickIntervalMs,
  });
  const heldSince = async () => (await ticks.read()).heldSince;
  const latestSequence = async () => (signer === undefined ? null : ((await batches.latest())?._id ?? null));
  const getPublicScores = createGetPublicScores({ ...deps, ...log, heldSince, latestSequence });
  return {
    routers: createPublisherRouters({ ...deps, tick, health, log, getPublicScores }),
    /** A job: submits the waiting batches and publishes changed cards. */
    tick,
    health,
    log,
    /** The entries of the latest batch, or, where nothing is published, the cards as they are. */
    getPublicScores,
  };
}
