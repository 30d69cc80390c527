import type { PublisherHealth, PublisherKey } from '../../../contract/schemas/publisher.js';
import type { BatchKey } from '../../../contract/verification/verify-batch.js';
import { toInstant } from '../../ports.js';
import { judge } from './health.rules.js';
import { readState } from './journal.js';
import type { BatchLog } from './log.js';
import type { BatchRow, KeyRow, PublisherStore, StateRow } from './store.js';

interface HealthDeps {
  store: PublisherStore;
  log: BatchLog;
  lease: () => Promise<{ token: number; expiresAt: Date } | null>;
  currentKey: BatchKey | undefined;
  oldKeys: readonly BatchKey[];
  hasOracle: boolean;
  staleAfterMs: number;
}

/** Reads health from what ticks have committed; nothing here depends on the instance that is asked. */
export function createHealth(deps: HealthDeps): () => Promise<PublisherHealth> {
  const { store, log, currentKey, hasOracle, staleAfterMs } = deps;

  async function keys(): Promise<PublisherKey[]> {
    const used = await store.keys.find().sort({ firstSequence: -1 }).limit(maxKeys).lean<KeyRow[]>();
    const listed = new Map<string, PublisherKey>();
    const add = ({ keyId, publicKey }: BatchKey, current: boolean) => {
      if (!listed.has(keyId)) listed.set(keyId, { keyId, publicKey, current });
    };
    if (currentKey !== undefined) add(currentKey, true);
    for (const { _id, publicKey } of used) add({ keyId: _id, publicKey }, false);
    for (const key of deps.oldKeys) add(key, false);
    return [...listed.values()];
  }

  return async () => {
    // Each is newer than the one before, so that nothing is read as missing that a later one already shows.
    const submitted = await log.latestSubmitted();
    const oldest = hasOracle ? await log.oldestUnsettled() : null;
    const latest = await log.latest();
    const [state, lease, listed, now] = await Promise.all([
      readState(store),
      deps.lease(),
      keys(),
      store.now(),
    ]);
    const verdict = judge({
      now,
      state,
      lease,
      hasKey: currentKey !== undefined,
      hasBatch: latest !== null,
      waitingSince: oldest === null ? null : new Date(oldest.header.createdAt),
      staleAfterMs,
    });
    return {
      status: verdict.status,
      reason: verdict.reason,
      checkedAt: toInstant(now.getTime()),
      ...ticksOf(verdict.state),
      latest: latest === null ? null : latestOf(latest),
      lastSubmission: submissionOf(submitted),
      oracle: hasOracle,
      pending: hasOracle ? (latest?._id ?? 0) - (submitted?._id ?? 0) : 0,
      keys: listed,
    };
  };
}

/** Enough for a rotation a week over two years; older ones are in their batches. */
const maxKeys = 100;

function ticksOf({ running, lastTick, consecutiveFailures }: StateRow) {
  return {
    running: running === null ? null : { startedAt: instantOf(running.startedAt) },
    lastTick:
      lastTick === null
        ? null
        : {
            startedAt: instantOf(lastTick.startedAt),
            finishedAt: lastTick.finishedAt === null ? null : instantOf(lastTick.finishedAt),
            result: lastTick.result,
            failure: lastTick.failure,
          },
    consecutiveFailures,
  };
}

function latestOf({ _id, headerHash, header }: BatchRow): PublisherHealth['latest'] {
  return { sequence: _id, headerHash, root: header.root, createdAt: header.createdAt };
}

function submissionOf(row: BatchRow | null): PublisherHealth['lastSubmission'] {
  if (row === null || row.submittedAt === null) return null;
  return { sequence: row._id, headerHash: row.headerHash, submittedAt: instantOf(row.submittedAt) };
}

function instantOf(date: Date): string {
  return toInstant(date.getTime());
}
