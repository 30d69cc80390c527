import type { Settlement, WorkQueue } from './work-queue.js';

/** Records attempts in batches: whatever came in while the last batch was being written is the next one. */
export interface Settler {
  /** Resolves once it is recorded (or its claim turned out to be lost); rejects where the database failed. */
  settle(settlement: Settlement): Promise<void>;
}

const batchSize = 100;

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
