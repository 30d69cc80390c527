/** Lets faults of several tracks run at the same time, and one that must be measured by itself run alone. */
export interface Gate {
  together(work: () => Promise<void>): Promise<void>;
  /** Waits for those that run, and keeps others waiting meanwhile. */
  alone(work: () => Promise<void>): Promise<void>;
}

export function createGate(): Gate {
  const running = new Set<Promise<void>>();
  let closed: Promise<void> | undefined;

  return {
    async together(work) {
      while (closed !== undefined) await closed;
      const done = work().finally(() => running.delete(done));
      running.add(done);
      await done;
    },
    async alone(work) {
      while (closed !== undefined) await closed;
      let open = () => {};
      closed = new Promise((resolve) => {
        open = resolve;
      });
      try {
        await Promise.allSettled(running);
        await work();
      } finally {
        closed = undefined;
        open();
      }
    },
  };
}
