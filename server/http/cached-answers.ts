import type { ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../ports.js';

const longestMs = 1_000;
/** How long requests wait for one that renews an answer. */
const longestWaitMs = 1_000;
const maxBytes = 32 * 1024 * 1024;
/** The size of an answer apart from its body and key: headers, objects and pointers. */
const overheadBytes = 1_500;

interface Entry<Answer> {
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
export interface CachedAnswers<Answer> {
  /** The last answer, however old. */
  known(key: string): Answer | undefined;
  /** The answer if it may be served. */
  current(key: string): Answer | undefined;
  /** Undefined for the request that has to renew the answer; to others, when that was done or has taken too long. */
  renewal(key: string, res: ServerResponse): Promise<void> | undefined;
  keep(key: string, answer: Answer, made: { begunIn: number; sameForMs: number; bytes: number }): void;
}

export function createCachedAnswers<Answer extends object>(deps: {
  epoch: () => number;
  /** Monotonic milliseconds. */
  stopwatch: Clock;
}): CachedAnswers<Answer> {
  const { epoch, stopwatch } = deps;
  const entries = new LRUCache<string, Entry<Answer>>({
    maxSize: maxBytes,
    sizeCalculation: ({ bytes }, key) => bytes + 2 * key.length + overheadBytes,
  });

  return {
    known: (key) => entries.get(key)?.answer,
    current(key) {
      const entry = entries.peek(key);
      const isCurrent = entry !== undefined && stopwatch() < entry.until && entry.begunIn === epoch();
      return isCurrent ? entry.answer : undefined;
    },
    renewal(key, res) {
      const entry = entries.peek(key);
      if (entry === undefined || entry.renewal !== undefined) return entry?.renewal?.done;
      const renewal = beginRenewal();
      entry.renewal = renewal;
      renewal.done.then(() => {
        entry.renewal = undefined;
      });
      res.once('close', renewal.end);
      setTimeout(renewal.end, longestWaitMs).unref();
      return undefined;
    },
    keep(key, answer, { begunIn, sameForMs, bytes }) {
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
