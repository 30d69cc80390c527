/**
 * Runs work of many queues with limited concurrency; further work waits for its turn. Resolves to undefined, without
 * starting the work, if its turn does not come within `patienceMs`.
 */
export type InTurn = <T>(queue: string, patienceMs: number, work: () => Promise<T>) => Promise<T | undefined>;

interface Queue {
  underWay: number;
  /** Callbacks of waiting work, in order: each is called once, when its turn has come. */
  waiting: Set<() => void>;
}

/**
 * A free slot goes to the queue with the least work under way, so that queues with slow work share the slots that quick
 * ones leave, and never the other way round.
 */
export function createTurns(atOnce: number): InTurn {
  /** The queues with work under way or waiting; of equals, the first was served longest ago. */
  const queues = new Map<string, Queue>();
  let free = atOnce;

  function queueOf(key: string): Queue {
    const known = queues.get(key);
    if (known !== undefined) return known;
    const made = { underWay: 0, waiting: new Set<() => void>() };
    queues.set(key, made);
    return made;
  }

  function hungriest(): [string, Queue] | undefined {
    let found: [string, Queue] | undefined;
    for (const [key, queue] of queues) {
      if (queue.waiting.size === 0) continue;
      if (found === undefined || queue.underWay < found[1].underWay) found = [key, queue];
    }
    return found;
  }

  function begin(key: string, queue: Queue): void {
    free -= 1;
    queue.underWay += 1;
    queues.delete(key);
    queues.set(key, queue);
  }

  function end(key: string, queue: Queue): void {
    free += 1;
    queue.underWay -= 1;
    dropIfIdle(key, queue);
    const next = hungriest();
    if (next === undefined) return;
    begin(...next);
    const [first] = next[1].waiting;
    first?.();
  }

  function dropIfIdle(key: string, { underWay, waiting }: Queue): void {
    if (underWay === 0 && waiting.size === 0) queues.delete(key);
  }

  function turn(key: string, queue: Queue, patienceMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const leave = (begun: boolean) => {
        clearTimeout(late);
        queue.waiting.delete(begin);
        resolve(begun);
      };
      const begin = () => leave(true);
      const late = setTimeout(() => {
        leave(false);
        dropIfIdle(key, queue);
      }, patienceMs);
      queue.waiting.add(begin);
    });
  }

  return async (key, patienceMs, work) => {
    const queue = queueOf(key);
    // Work that ends passes its slot on, so new work cannot overtake waiting work.
    if (free > 0) begin(key, queue);
    else if (!(await turn(key, queue, patienceMs))) return undefined;
    try {
      return await work();
    } finally {
      end(key, queue);
    }
  };
}
