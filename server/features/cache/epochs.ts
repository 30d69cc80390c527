import type { Connection } from 'mongoose';
import type { CacheScope } from '../../../contract/schemas/cache.js';
import type { Logger, Random } from '../../ports.js';
import { bumpEpoch, epochModel, readEpochs } from './store.js';

/** Every corridor. */
const anyCorridor = '*';

/**
 * Counters that say from when on a cached entry counts. An entry carries the number read when its fetch began; it is
 * served only while the number is still the same.
 */
export interface Epochs {
  /**
   * The number for entries of `scope`. With `corridors`, invalidations of other corridors do not touch it; without,
   * every invalidation of the scope does.
   */
  read(scope: CacheScope, corridors?: readonly string[]): number;
  /** Called after each change with what was invalidated; drops what it can and returns how many entries. */
  onInvalidate(listener: InvalidationListener): void;
  /** Bumps the epoch by majority, then drops here. Rejects, dropping nothing, while MongoDB is away. */
  invalidate(
    scope: CacheScope,
    corridor: string | undefined,
  ): Promise<{ epoch: number; droppedEntries: number }>;
  /** Reads the counters once, then follows what other instances do. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export type InvalidationListener = (scope: CacheScope, corridor: string | undefined) => number;

const pollMs = 500;

export function createEpochs(deps: { connection: Connection; random: Random; logger: Logger }): Epochs {
  const model = epochModel(deps.connection);
  const counters = new Map<string, number>();
  /** Sums already made, until a counter changes: every request reads one. As many as scopes and corridors. */
  const sums = new Map<string, number>();
  const listeners: InvalidationListener[] = [];
  let timer: NodeJS.Timeout | undefined;
  let current: Promise<void> | undefined;
  let stopped = true;
  let away = false;

  /** Takes a counter over unless it is old news; returns what the listeners dropped. */
  function learn(id: string, epoch: number): number {
    if (epoch <= (counters.get(id) ?? 0)) return 0;
    counters.set(id, epoch);
    sums.clear();
    const [scope, corridor] = id.split(':') as [CacheScope, string];
    const limited = corridor === anyCorridor ? undefined : corridor;
    return listeners.reduce((dropped, listener) => dropped + listener(scope, limited), 0);
  }

  function sumOf(scope: CacheScope, corridors: readonly string[] | undefined): number {
    let sum = 0;
    for (const [id, epoch] of counters) {
      const [of, corridor = anyCorridor] = id.split(':');
      const touches = corridors === undefined || corridor === anyCorridor || corridors.includes(corridor);
      if (touches && (of === scope || of === 'all')) sum += epoch;
    }
    return sum;
  }

  async function poll(): Promise<void> {
    try {
      for (const { _id, epoch } of await readEpochs(model)) learn(_id, epoch);
      if (away) deps.logger.info({}, 'cache epochs are followed again');
      away = false;
    } catch (error) {
      if (!away)
        deps.logger.warn({ err: error }, 'cache epochs cannot be read; caches go on with the last known');
      away = true;
    }
  }

  function plan(): void {
    if (stopped) return;
    timer = setTimeout(
      () => {
        current = poll().finally(plan);
      },
      pollMs * (0.9 + 0.2 * deps.random()),
    );
    timer.unref();
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
    onInvalidate(listener) {
      listeners.push(listener);
    },
    async invalidate(scope, corridor) {
      const id = `${scope}:${corridor ?? anyCorridor}`;
      const epoch = await bumpEpoch(model, id);
      return { epoch, droppedEntries: learn(id, epoch) };
    },
    async start() {
      stopped = false;
      current = poll();
      await current;
      plan();
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await current;
    },
  };
}
