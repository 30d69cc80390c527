import type { ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../ports.js';

const longestMs = 1_000;
/** How long requests wait for one that renews an answer. */
const longestWaitMs = 1_000;
const maxBytes = 32 * 1024 * 1024;
/** The size of an answer apart from its body and key: headers, objects and pointers. */
const overheadBytes = 1_500;

/** An answer that was kept, however old it is. */
export interface Entry<Answer> {
  answer: Answer;
  bytes: number;
  /** The epoch when its making began. */
  begunIn: number;
  until: number;
  /** While one request makes the answer again. */
  renewal: Renewal | undefined;
}

interface Renewal {
  done: Promise<void>;
  end: () => void;
}

/** Answers by key, each for a second at most, and bounded in bytes. */
export function createCachedAnswers<Answer extends object>(deps: {
  epoch: () => number;
  /** Monotonic milliseconds. */
  stopwatch: Clock;
}) {
  const { epoch, stopwatch } = deps;
  const entries = new LRUCache<string, Entry<Answer>>({
    maxSize: maxBytes,
    sizeCalculation: ({ bytes }, key) => bytes + 2 * key.length + overheadBytes,
  });

  return {
    find: (key: string) => entries.peek(key),
    /** Whether it may be served. */
    isCurrent: ({ until, begunIn }: Entry<Answer>) => stopwatch() < until && begunIn === epoch(),
    /** Undefined for the request that has to renew the answer; for others, what resolves when that is over. */
    renewal(entry: Entry<Answer>, res: ServerResponse): Promise<void> | undefined {
      if (entry.renewal !== undefined) return entry.renewal.done;
      const renewal = beginRenewal();
      entry.renewal = renewal;
      renewal.done.then(() => {
        entry.renewal = undefined;
      });
      res.once('close', renewal.end);
      setTimeout(renewal.end, longestWaitMs).unref();
      return undefined;
    },
    keep(key: string, answer: Answer, made: { begunIn: number; sameForMs: number; bytes: number }): void {
      const { begunIn, sameForMs, bytes } = made;
      if (sameForMs <= 0 || begunIn !== epoch()) return;
      const before = entries.peek(key);
      const until = stopwatch() + Math.min(longestMs, sameForMs);
      entries.set(key, { answer, bytes, begunIn, until, renewal: undefined });
      before?.renewal?.end();
    },
  };
}

function beginRenewal(): Renewal {
  let end = () => {};
  const done = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { done, end };
}
