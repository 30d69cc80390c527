/** Lets faults of several tracks run concurrently, and a fault that must be measured alone run by itself. */
export interface Gate {
  together(work: () => Promise<void>): Promise<void>;
  /** Waits for the running faults, and makes others wait meanwhile. */
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
