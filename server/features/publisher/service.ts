import type { PublisherHealth } from '../../../contract/schemas/publisher.js';
import type { ScoreCard } from '../../../contract/schemas/score-card.js';
import { fromHex } from '../../../contract/verification/bytes.js';
import type { Emit } from '../../deliveries/deliveries.js';
import type { Leases } from '../../mongo/leases.js';
import type { InTransaction } from '../../mongo/transactions.js';
import type { Outbound } from '../../outbound/outbound.js';
import type { Logger, NewId, Random } from '../../ports.js';
import { createBatchWriter } from './batch-writer.js';
import { createFenced } from './fenced.js';
import { createHealth } from './health.js';
import { createJournal } from './journal.js';
import { type BatchLog, createBatchLog } from './log.js';
import { createSubmitToOracle } from './oracle.js';
import { createSigner, publicBatchKey } from './signer.rules.js';
import type { OnStep } from './steps.js';
import type { PublisherStore } from './store.js';
import { createSubmitter, defaultRetry, type RetryPolicy } from './submitter.js';
import { createTick, publisherLease, type Tick } from './tick.js';

export interface Publisher {
  /** Submits what waits, publishes what changed. */
  tick: Tick;
  health(): Promise<PublisherHealth>;
  log: Pick<BatchLog, 'list' | 'get' | 'entries' | 'prove' | 'pending'>;
  /** The latest committed batch, or null before the first. */
  latestBatch(): Promise<{ sequence: number; root: string } | null>;
}

export interface PublisherDeps {
  store: PublisherStore;
  leases: Pick<Leases, 'run' | 'read'>;
  inTransaction: InTransaction;
  writeEvent: Emit;
  /** The cards of window 30, in any order, one an anchor and corridor. */
  gatherCards: () => AsyncIterable<ScoreCard>;
  /** Version of the score formula the cards follow. */
  formula: string;
  /** PUBLISHER_SECRET_KEY: an Ed25519 seed, 64 hex digits; undefined: nothing is published. */
  secretKey: string | undefined;
  /** PUBLISHER_OLD_KEYS: public keys, 64 hex digits each. */
  oldKeys: readonly string[];
  /** ORACLE_URL; undefined: the signed log stands alone. */
  oracleUrl: string | undefined;
  /** A connector that trusts the origin of `oracleUrl`. */
  outbound: Outbound;
  newId: NewId;
  random: Random;
  logger: Logger;
  /** How often ticks are expected; health is `stale` after three such intervals. */
  tickIntervalMs?: number;
  leaseTtlMs?: number;
  oracleTimeoutMs?: number;
  retry?: RetryPolicy;
  onStep?: OnStep;
}

export const defaultTickIntervalMs = 300_000;
const defaultLeaseTtlMs = 30_000;

/** Takes no clock: every instant is the database's, so that no instance's clock can matter. */
export function createPublisher(deps: PublisherDeps): Publisher {
  const { store, formula, newId, logger } = deps;
  const { onStep = () => undefined, oracleUrl, tickIntervalMs = defaultTickIntervalMs } = deps;
  const hasOracle = oracleUrl !== undefined;
  const fenced = createFenced(deps.inTransaction);
  const signer = deps.secretKey === undefined ? undefined : createSigner(deps.secretKey);
  const log = createBatchLog({ store, hasOracle });
  const submitToOracle =
    oracleUrl === undefined
      ? undefined
      : createSubmitToOracle({
          url: oracleUrl,
          outbound: deps.outbound,
          ...(deps.oracleTimeoutMs === undefined ? {} : { timeoutMs: deps.oracleTimeoutMs }),
        });
  const submitter = createSubmitter({
    ...deps,
    store,
    fenced,
    submitToOracle,
    retry: deps.retry ?? defaultRetry,
    onStep,
  });
  const tick = createTick({
    log,
    journal: createJournal({ store, fenced }),
    writer: createBatchWriter({ store, fenced, newId, formula, onStep }),
    submitter,
    leases: deps.leases,
    gatherCards: deps.gatherCards,
    formula,
    signer,
    hasOracle,
    leaseTtlMs: deps.leaseTtlMs ?? defaultLeaseTtlMs,
    logger,
    onStep,
  });
  const health = createHealth({
    store,
    log,
    lease: () => deps.leases.read(publisherLease),
    currentKey: signer,
    oldKeys: deps.oldKeys.map((key) => publicBatchKey(fromHex(key))),
    hasOracle,
    staleAfterMs: 3 * tickIntervalMs,
  });
  return {
    tick,
    health,
    log,
    async latestBatch() {
      const latest = await log.latest();
      return latest === null ? null : { sequence: latest._id, root: latest.header.root };
    },
  };
}
