import type { CacheScope } from '../../../contract/schemas/cache.js';
import type { CacheVersionStore } from './store.js';

/** Stands for every corridor. */
const anyCorridor = '*';

/**
 * Counters that determine which cached entries are valid. An entry belongs to the version read when its load began; it is
 * served only while the version is still the same (see server/cache).
 */
export interface CacheVersions {
  /**
   * The version for entries of `scope`. With `corridors`, invalidations of other corridors do not change it; without,
   * every invalidation of the scope does.
   */
  read(scope: CacheScope, corridors?: readonly string[]): number;
  /** `free` is called after each change; it frees the entries that became void and returns their number. */
  onInvalidate(free: () => number): void;
  /** Increments the version on a majority, then frees entries here. Rejects and frees nothing while MongoDB is down. */
  invalidate(
    scope: CacheScope,
    corridor: string | undefined,
  ): Promise<{ version: number; droppedEntries: number }>;
  /** Reads what other instances invalidated. While this fails, caches continue with the last known versions. */
  poll(): Promise<void>;
}

export function createCacheVersions({ store }: { store: CacheVersionStore }): CacheVersions {
  const counters = new Map<string, number>();
  /** Sums, cached until a counter changes because every request reads one. There are as many as scopes and corridors. */
  const sums = new Map<string, number>();
  const listeners: (() => number)[] = [];
  /** The number of entries freed in this instance, per counter. */
  const freed = new Map<string, number>();

  const freedBy = (id: string) => freed.get(id) ?? 0;

  /** Stores the new value of a counter and frees entries, unless the value is already known. */
  function learn(id: string, version: number): void {
    if (version <= (counters.get(id) ?? 0)) return;
    counters.set(id, version);
    sums.clear();
    const dropped = listeners.reduce((sum, free) => sum + free(), 0);
    freed.set(id, freedBy(id) + dropped);
  }

  function sumOf(scope: CacheScope, corridors: readonly string[] | undefined): number {
    let sum = 0;
    for (const [id, version] of counters) {
      const [of, corridor = anyCorridor] = id.split(':');
      const touches = corridors === undefined || corridor === anyCorridor || corridors.includes(corridor);
      if (touches && (of === scope || of === 'all')) sum += version;
    }
    return sum;
  }

  return {
    read(scope, corridors) {
      const key = corridors === undefined ? scope : `${scope}:${corridors.join(',')}`;
      const known = sums.get(key);
      if (known !== undefined) return known;
      const sum = sumOf(scope, corridors);
      sums.set(key, sum);
      return sum;
    },
    onInvalidate(free) {
      listeners.push(free);
    },
    async invalidate(scope, corridor) {
      const id = `${scope}:${corridor ?? anyCorridor}`;
      // A poll may see this invalidation first and free the entries that it makes void.
      const before = freedBy(id);
      const version = await store.increment(id);
      learn(id, version);
      return { version, droppedEntries: freedBy(id) - before };
    },
    async poll() {
      for (const { id, version } of await store.list()) learn(id, version);
    },
  };
}
