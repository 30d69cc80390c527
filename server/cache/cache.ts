import { LRUCache } from 'lru-cache';
import type { Clock } from '../ports.js';

export interface CacheOptions<Question, Value> {
  /** `previous` is the last answer to the question, however old. An error thrown here reaches everyone who waits. */
  load(question: Question, previous: Value | undefined): Promise<Value>;
  /** Questions with the same key have the same answer. Default: the question itself as a string. */
  keyOf?(question: Question): string;
  /** How long after its load an answer is served without another load. */
  freshMs: number | ((value: Value) => number);
  /** How long after its load it is served while another load runs. Default: `freshMs`. */
  staleMs?: number;
  /**
   * How long no load is tried after this many failures in a row, of which `error` is the last. Default: the next request
   * loads again at once.
   */
  retryMs?(failures: number, error: unknown): number;
  /** How many answers are kept; those that were not asked for longest are dropped first. */
  max?: number;
  clock: Clock;
}

interface Entry<Value> {
  held?: { value: Value; loadedAt: number; freshUntil: number; staleUntil: number };
  fault?: { error: unknown; failures: number; failedAt: number; pauseMs: number } | undefined;
  loading?: Promise<Value> | undefined;
}

const defaultMax = 1_000;

/** Answers kept in memory. Everyone who asks the same at the same time waits for the same load. */
export function createCache<Question = void, Value = unknown>(options: CacheOptions<Question, Value>) {
  const { clock, freshMs, keyOf = String, retryMs = () => 0 } = options;
  const entries = new LRUCache<string, Entry<Value>>({ max: options.max ?? defaultMax });

  /** A load writes into the entry with which it began, so that one that `clear` dropped is not found again. */
  function entryOf(question: Question): Entry<Value> {
    const key = keyOf(question);
    const entry = entries.get(key) ?? {};
    entries.set(key, entry);
    return entry;
  }

  async function loadInto(entry: Entry<Value>, question: Question): Promise<Value> {
    try {
      const value = await options.load(question, entry.held?.value);
      const loadedAt = clock();
      const freshUntil = loadedAt + (typeof freshMs === 'number' ? freshMs : freshMs(value));
      const staleUntil = Math.max(freshUntil, loadedAt + (options.staleMs ?? 0));
      entry.held = { value, loadedAt, freshUntil, staleUntil };
      entry.fault = undefined;
      return value;
    } catch (error) {
      const failures = (entry.fault?.failures ?? 0) + 1;
      entry.fault = { error, failures, failedAt: clock(), pauseMs: retryMs(failures, error) };
      throw error;
    }
  }

  function load(entry: Entry<Value>, question: Question): Promise<Value> {
    entry.loading ??= loadInto(entry, question).finally(() => {
      entry.loading = undefined;
    });
    return entry.loading;
  }

  /** What is kept, unless it is over. One that was loaded in the future is from before the clock was set back. */
  function current({ held }: Entry<Value> = {}): Entry<Value>['held'] {
    const now = clock();
    return held !== undefined && held.loadedAt <= now && now < held.staleUntil ? held : undefined;
  }

  function isPaused({ fault }: Entry<Value>): boolean {
    const sinceMs = fault === undefined ? 0 : clock() - fault.failedAt;
    return fault !== undefined && sinceMs >= 0 && sinceMs < fault.pauseMs;
  }

  return {
    /**
     * The answer while it is fresh, or stale, which begins a load for the next one who asks; else a new one. With `maxAgeMs`
     * none is served that is stale, or loaded longer ago. Rejects with the error of `load`, also while that is not retried.
     */
    async get(question: Question, { maxAgeMs } = { maxAgeMs: Number.POSITIVE_INFINITY }): Promise<Value> {
      const entry = entryOf(question);
      const held = current(entry);
      const now = clock();
      const isFresh = held !== undefined && now < held.freshUntil && now - held.loadedAt < maxAgeMs;
      if (isFresh) return held.value;
      if (held === undefined || maxAgeMs !== Number.POSITIVE_INFINITY) {
        if (isPaused(entry)) throw entry.fault?.error;
        return load(entry, question);
      }
      // This caller gets the stale answer; a failure shows in `faultOf`.
      if (!isPaused(entry)) load(entry, question).catch(() => undefined);
      return held.value;
    },
    /** Loads a new answer, or waits for the load under way. */
    async refresh(question: Question): Promise<Value> {
      return load(entryOf(question), question);
    },
    /** The answer that `get` would give now, without a load. */
    peek(question: Question): { value: Value; loadedAt: number; fresh: boolean } | undefined {
      const held = current(entries.peek(keyOf(question)));
      if (held === undefined) return undefined;
      return { value: held.value, loadedAt: held.loadedAt, fresh: clock() < held.freshUntil };
    },
    /** Whether this was asked before. */
    has: (question: Question) => entries.has(keyOf(question)),
    /** What the last load threw; undefined after a success. */
    faultOf: (question: Question): unknown => entries.peek(keyOf(question))?.fault?.error,
    /** Forgets everything, and what loads under way will bring. Returns how many answers there were. */
    clear(): number {
      const kept = [...entries.values()].filter(({ held }) => held !== undefined).length;
      entries.clear();
      return kept;
    },
  };
}
