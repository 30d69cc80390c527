import { setTimeout as rest } from 'node:timers/promises';
import type { WorkQueue } from './work-queue.js';
import type { Settlement } from './work-updates.rules.js';

/** Records attempts in batches: whatever came in while the last batch was being written is the next one. */
export interface Settler {
  /** Resolves once it is recorded (or its claim turned out to be lost); rejects where the database failed. */
  settle(settlement: Settlement): Promise<void>;
}

const batchSize = 256;
/** Batches follow each other no faster, so that a stream of ends is recorded by few writes; the first one is at once. */
const restMs = 10;

export function createSettler(deps: { queue: Pick<WorkQueue, 'settle'> }): Settler {
  interface Entry {
    settlement: Settlement;
    done: () => void;
    failed: (error: unknown) => void;
  }
  const entries: Entry[] = [];
  let writing = false;

  async function write(): Promise<void> {
    writing = true;
    while (entries.length > 0) {
      const batch = entries.splice(0, batchSize);
      try {
        await deps.queue.settle(batch.map(({ settlement }) => settlement));
        for (const { done } of batch) done();
      } catch (error) {
        for (const { failed } of batch) failed(error);
      }
      if (entries.length < batchSize) await rest(restMs);
    }
    writing = false;
  }

  return {
    settle: (settlement) =>
      new Promise((done, failed) => {
        entries.push({ settlement, done, failed });
        if (!writing) void write();
      }),
  };
}
