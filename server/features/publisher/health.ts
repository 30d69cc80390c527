import type { PublisherHealth, PublisherKey } from '../../../contract/schemas/publisher.js';
import type { BatchKey } from '../../../contract/verification/verify-batch.js';
import { type Clock, toInstant } from '../../ports.js';
import type { BatchDocument, BatchStore } from './batch-store.js';
import { judge, type TickState } from './health.rules.js';
import type { TickStore } from './tick-store.js';

interface HealthDeps {
  batches: BatchStore;
  ticks: TickStore;
  lease: () => Promise<{ token: number; expiresAt: Date } | null>;
  currentKey: BatchKey | undefined;
  oldKeys: readonly BatchKey[];
  hasOracle: boolean;
  staleAfterMs: number;
  clock: Clock;
}

/** Reads health from what ticks have committed, so that every instance gives the same answer. */
export function createHealth(deps: HealthDeps): () => Promise<PublisherHealth> {
  const { batches, ticks, currentKey, hasOracle, staleAfterMs, clock } = deps;

  async function keys(): Promise<PublisherKey[]> {
    const used = await batches.listKeys(maxKeys);
    const listed = new Map<string, PublisherKey>();
    const add = ({ keyId, publicKey }: BatchKey, current: boolean) => {
      if (!listed.has(keyId)) listed.set(keyId, { keyId, publicKey, current });
    };
    if (currentKey !== undefined) add(currentKey, true);
    for (const key of [...used, ...deps.oldKeys]) add(key, false);
    return [...listed.values()];
  }

  return async () => {
    // Older batches are read first, so that the last submission is never later than the latest batch.
    const submitted = await batches.latestSubmitted();
    const oldest = hasOracle ? await batches.oldestWithoutReceipt() : null;
    const latest = await batches.latest();
    const [state, lease, listed] = await Promise.all([ticks.read(), deps.lease(), keys()]);
    const now = new Date(clock());
    const assessment = judge({
      now,
      state,
      lease,
      hasKey: currentKey !== undefined,
      hasBatch: latest !== null,
      waitingSince: oldest === null ? null : new Date(oldest.header.createdAt),
      staleAfterMs,
    });
    return {
      status: assessment.status,
      reason: assessment.reason,
      checkedAt: toInstant(now),
      ...ticksOf(assessment.state),
      latest: latest === null ? null : latestOf(latest),
      lastSubmission: submissionOf(submitted),
      oracle: hasOracle,
      pending: hasOracle ? (latest?._id ?? 0) - (submitted?._id ?? 0) : 0,
      keys: listed,
    };
  };
}

/** Enough for weekly rotations over two years; the batches contain older keys themselves. */
const maxKeys = 100;

function ticksOf({ running, lastTick, consecutiveFailures }: TickState) {
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

function latestOf({ _id, headerHash, header }: BatchDocument): PublisherHealth['latest'] {
  return { sequence: _id, headerHash, root: header.root, createdAt: header.createdAt };
}

function submissionOf(batch: BatchDocument | null): PublisherHealth['lastSubmission'] {
  if (batch === null || batch.submittedAt === null) return null;
  return { sequence: batch._id, headerHash: batch.headerHash, submittedAt: instantOf(batch.submittedAt) };
}

function instantOf(date: Date): string {
  return toInstant(date);
}
