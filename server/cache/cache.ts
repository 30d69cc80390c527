import { LRUCache } from 'lru-cache';
import type { Clock } from '../ports.js';

/** How long a value may be served. All three are instants on the cache's clock, in milliseconds. */
export interface Lifetime {
  /** The instant that the value describes; `maxAgeMs` counts from here. */
  asOf: number;
  /** Until this instant the value is served without a load. */
  freshUntil: number;
  /** Until this instant the value is served while one refresh runs in the background. */
  staleUntil: number;
}

export interface CacheOptions<Question, Value> {
  /**
   * Finds the answer to a question. `previous` is the last answer under the same version, however old; returning it
   * keeps it. An error thrown here reaches every caller that waits for the answer.
   */
  load(question: Question, previous: Value | undefined): Promise<Value>;
  /** Questions with the same key have the same answer. Default: the question itself as a string. */
  keyOf?(question: Question): string;
  lifetimeOf(value: Value, loadedAt: number): Lifetime;
  /** An answer loaded, or begun to load, under another version is void. Default: the version never changes. */
  versionOf?(question: Question): number;
  /** How long no load is tried after this many failures in a row. Default: the next request loads again at once. */
  retryDelayMs?(failures: number): number;
  /** Memory for all entries; the least recently used ones are evicted first. Default: 32 MiB. */
  maxBytes?: number;
  /** A larger entry is returned but not cached. Default: no limit below `maxBytes`. */
  maxEntryBytes?: number;
  /** Default: twice the length of the value as JSON. */
  bytesOf?(value: Value): number;
  /**
   * Called once after each load that replaced an earlier outcome, even if one of them is a failure, and after `seed`:
   * `get` returns another value from then on. What was made from the first outcome of a question needs no such call. An
   * outcome that was evicted is not known any more: who made something from it must bound its age.
   */
  onLoaded?(): void;
  clock: Clock;
}

/**
 * Answers kept in memory: served while fresh, served stale while a single refresh runs, then loaded again. Concurrent
 * requests for the same answer share one load (single-flight).
 */
export interface Cache<Question, Value> {
  /**
   * Returns the cached answer, or loads a new one. With `maxAgeMs`, an answer of that age or older is not served. If
   * there is no answer to serve, rejects with the error of `load` or, during the retry delay, with its last error.
   */
  get(question: Question, options?: { maxAgeMs: number }): Promise<Value>;
  /** Always loads a new answer. Joins the load under way, if there is one. */
  refresh(question: Question): Promise<Value>;
  /** The answer that `get` would serve now, without starting a load. */
  peek(question: Question): { value: Value; asOf: number; fresh: boolean } | undefined;
  /** Whether the outcome of a load of this question is kept, however old, be it an answer or a failure. */
  has(question: Question): boolean;
  /** What the last load threw; undefined after a success. */
  faultOf(question: Question): unknown;
  /** Stores an answer known from elsewhere, as if it had been loaded at that instant. */
  seed(question: Question, value: Value, loadedAt: number): void;
  /** Frees the entries that a change of version made void. Returns how many of them held an answer. */
  dropVoid(): number;
}

/** The usual lifetime, counted from the end of the load. Without `staleMs` nothing is served stale. */
export function lasting({ freshMs, staleMs = freshMs }: { freshMs: number; staleMs?: number }) {
  return (_value: unknown, loadedAt: number): Lifetime => ({
    asOf: loadedAt,
    freshUntil: loadedAt + freshMs,
    staleUntil: loadedAt + staleMs,
  });
}

interface Held<Value> extends Lifetime {
  value: Value;
  loadedAt: number;
  bytes: number;
}

interface Entry<Question, Value> {
  question: Question;
  held: Held<Value> | undefined;
  fault: { error: unknown; failures: number; failedAt: number; retryAt: number } | undefined;
  /** Whether it replaced another entry, and `onLoaded` was not called yet. */
  isUnannounced: boolean;
}

const defaultMaxBytes = 32 * 1024 * 1024;
/** The size of an entry apart from its value and key: objects, pointers and, after a failure, the error. */
const overheadBytes = 500;

export function createCache<Question = void, Value = unknown>(
  options: CacheOptions<Question, Value>,
): Cache<Question, Value> {
  const { clock, lifetimeOf } = options;
  const { keyOf = String, versionOf = () => 0, retryDelayMs = () => 0 } = options;
  const { bytesOf = (value) => 2 * (JSON.stringify(value) ?? '').length, onLoaded = () => {} } = options;

  // lru-cache bounds the memory and provides the single flight (`forceRefresh` joins a load under way). Ages are kept
  // here: its `ttl` has no end of staleness, no pause after failures, and one age where an answer has three.
  const entries = new LRUCache<string, Entry<Question, Value>, { question: Question }>({
    maxSize: options.maxBytes ?? defaultMaxBytes,
    ...(options.maxEntryBytes === undefined ? {} : { maxEntrySize: options.maxEntryBytes }),
    sizeCalculation: ({ held }, key) => Math.ceil((held?.bytes ?? 0) + 2 * key.length + overheadBytes),
    fetchMethod: (_key, before, { context }) => loadEntry(context.question, before),
    // An entry evicted while it is loading still answers those who wait for it.
    ignoreFetchAbort: true,
  });

  /** The key contains the version, so a load that began under another version is neither found nor joined. */
  function versionedKey(question: Question): string {
    return `${versionOf(question)} ${keyOf(question)}`;
  }

  function hold(value: Value, loadedAt: number): Held<Value> {
    return { value, loadedAt, bytes: bytesOf(value), ...lifetimeOf(value, loadedAt) };
  }

  /** Never rejects: a failure is stored beside the previous answer, which stays in place. */
  async function loadEntry(
    question: Question,
    before: Entry<Question, Value> | undefined,
  ): Promise<Entry<Question, Value>> {
    const isUnannounced = before !== undefined;
    try {
      const value = await options.load(question, before?.held?.value);
      return { question, held: hold(value, clock()), fault: undefined, isUnannounced };
    } catch (error) {
      const failures = (before?.fault?.failures ?? 0) + 1;
      const failedAt = clock();
      const retryAt = failedAt + retryDelayMs(failures);
      return { question, held: before?.held, fault: { error, failures, failedAt, retryAt }, isUnannounced };
    }
  }

  /** A value with a load time in the future was loaded before the clock was set back, so its age is unknown. */
  function isOver({ staleUntil, loadedAt }: Held<Value>, now: number): boolean {
    return now >= staleUntil || now < loadedAt;
  }

  async function load(key: string, question: Question): Promise<Value> {
    const entry = await entries.forceFetch(key, { context: { question }, forceRefresh: true });
    // The first caller that waited for the load announces it: only now does `get` return the new value.
    if (entry.isUnannounced) {
      entry.isUnannounced = false;
      onLoaded();
    }
    const { held, fault } = entry;
    if (fault !== undefined) throw fault.error;
    return (held as Held<Value>).value;
  }

  return {
    async get(question, { maxAgeMs } = { maxAgeMs: Number.POSITIVE_INFINITY }) {
      const key = versionedKey(question);
      const { held, fault } = entries.get(key) ?? {};
      const now = clock();
      const mayLoad = fault === undefined || now >= fault.retryAt || now < fault.failedAt;
      if (held === undefined || isOver(held, now) || now - held.asOf >= maxAgeMs) {
        if (!mayLoad) throw fault.error;
        return load(key, question);
      }
      // This caller gets the stale value; a failed refresh shows in `faultOf`.
      if (now >= held.freshUntil && mayLoad) load(key, question).catch(() => undefined);
      return held.value;
    },
    refresh: (question) => load(versionedKey(question), question),
    peek(question) {
      const held = entries.peek(versionedKey(question))?.held;
      const now = clock();
      if (held === undefined || isOver(held, now)) return undefined;
      return { value: held.value, asOf: held.asOf, fresh: now < held.freshUntil };
    },
    has: (question) => entries.has(versionedKey(question)),
    faultOf: (question) => entries.peek(versionedKey(question))?.fault?.error,
    seed(question, value, loadedAt) {
      const entry = { question, held: hold(value, loadedAt), fault: undefined, isUnannounced: false };
      entries.set(versionedKey(question), entry);
      onLoaded();
    },
    dropVoid() {
      let dropped = 0;
      for (const [key, { question, held }] of [...entries.entries()]) {
        if (key === versionedKey(question) || !entries.delete(key)) continue;
        if (held !== undefined) dropped += 1;
      }
      return dropped;
    },
  };
}
