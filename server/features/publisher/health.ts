import type { PublisherHealth, PublisherKey } from '../../../contract/schemas/publisher.js';
import type { BatchKey } from '../../../contract/verification/verify-batch.js';
import { type Clock, toInstant } from '../../ports.js';
import { judge, type TickState, withoutDeadTick } from './health.rules.js';
import type { BatchStore, TickStore } from './store.js';

/** Enough for weekly rotations over two years; the batches contain older keys themselves. */
const maxKeys = 100;

export type ReadHealth = () => Promise<PublisherHealth>;

/** Reads health from what ticks have committed, so that every instance gives the same answer. */
export function createHealth(deps: {
  batches: Pick<BatchStore, 'latest' | 'latestSubmitted' | 'oldestWithoutReceipt' | 'listKeys'>;
  ticks: Pick<TickStore, 'read'>;
  lease: () => Promise<{ token: number; expiresAt: Date } | null>;
  currentKey: BatchKey | undefined;
  oldKeys: readonly BatchKey[];
  hasOracle: boolean;
  staleAfterMs: number;
  clock: Clock;
}): ReadHealth {
  const { batches, ticks, currentKey, hasOracle, staleAfterMs, clock } = deps;

  async function keys(): Promise<PublisherKey[]> {
    const listed = new Map<string, PublisherKey>();
    for (const { keyId, publicKey } of [
      ...(currentKey === undefined ? [] : [currentKey]),
      ...(await batches.listKeys(maxKeys)),
      ...deps.oldKeys,
    ])
      if (!listed.has(keyId)) listed.set(keyId, { keyId, publicKey, current: keyId === currentKey?.keyId });
    return [...listed.values()];
  }

  /** A tick that did not note its end, and whose lease has expired or passed to another, has died. */
  async function ticksNow(): Promise<TickState> {
    const lease = await deps.lease();
    const state = await ticks.read();
    if (lease === null || state.running === null) return withoutDeadTick(state);
    const { token } = state.running;
    const isHeld = token === lease.token && lease.expiresAt.getTime() > clock();
    // The lease was read first: a tick with a later token began in between.
    const beganSince = token > lease.token;
    return isHeld || beganSince ? state : withoutDeadTick(state);
  }

  return async () => {
    // Older batches are read first, so that the last submission is never later than the latest batch.
    const submitted = await batches.latestSubmitted();
    const oldest = hasOracle ? await batches.oldestWithoutReceipt() : null;
    const latest = await batches.latest();
    const [state, listed] = await Promise.all([ticksNow(), keys()]);
    const { running, lastTick, consecutiveFailures } = state;
    const now = new Date(clock());
    const verdict = judge({
      now,
      state,
      hasKey: currentKey !== undefined,
      hasBatch: latest !== null,
      waitingSince: oldest === null ? null : new Date(oldest.header.createdAt),
      staleAfterMs,
    });
    return {
      ...verdict,
      checkedAt: toInstant(now),
      running: running && { startedAt: toInstant(running.startedAt) },
      lastTick: lastTick && {
        ...lastTick,
        startedAt: toInstant(lastTick.startedAt),
        finishedAt: lastTick.finishedAt && toInstant(lastTick.finishedAt),
      },
      consecutiveFailures,
      latest: latest && {
        sequence: latest._id,
        headerHash: latest.headerHash,
        root: latest.header.root,
        createdAt: latest.header.createdAt,
      },
      lastSubmission: submitted?.submittedAt
        ? {
            sequence: submitted._id,
            headerHash: submitted.headerHash,
            submittedAt: toInstant(submitted.submittedAt),
          }
        : null,
      oracle: hasOracle,
      pending: hasOracle ? (latest?._id ?? 0) - (submitted?._id ?? 0) : 0,
      keys: listed,
    };
  };
}
