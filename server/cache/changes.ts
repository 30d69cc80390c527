/** The kinds of data in answers that change at some moment, and not only as time passes. */
export type Topic = 'fleet' | 'rates' | 'snapshot' | 'scores' | 'batches' | 'observations';

/**
 * Records changes of data in this instance, so that cached answers made from the old data are not served again. Changes
 * by other instances are not recorded here, so a cache must also limit the age of its answers.
 */
export interface Changes {
  announce(topic: Topic): void;
  /** Counts as a change of every topic. */
  announceAll(): void;
  /** The number of changes so far. It is noted when the making of an answer begins, and passed to `since` later. */
  count(): number;
  /** Whether one of these topics has changed since `count` returned this number. */
  since(count: number, topics: readonly Topic[]): boolean;
  /** Calls `changed` soon after a change of these topics, once per burst. Returns a function that ends this. */
  onChange(topics: readonly Topic[], changed: () => void): () => void;
}

export type Announce = Changes['announce'];

/** The length of a burst: many changes come at once, for example when every corridor is quoted again. */
const burstMs = 20;

export function createChanges(): Changes {
  let count = 0;
  let allAt = 0;
  const changedAt = new Map<Topic, number>();
  const listeners = new Set<(topic: Topic | undefined) => void>();
  const tell = (topic: Topic | undefined) => {
    for (const listener of listeners) listener(topic);
  };
  return {
    announce(topic) {
      count += 1;
      changedAt.set(topic, count);
      tell(topic);
    },
    announceAll() {
      count += 1;
      allAt = count;
      tell(undefined);
    },
    onChange(topics, changed) {
      let timer: NodeJS.Timeout | undefined;
      const listener = (topic: Topic | undefined) => {
        if (timer !== undefined || (topic !== undefined && !topics.includes(topic))) return;
        timer = setTimeout(() => {
          timer = undefined;
          changed();
        }, burstMs);
        timer.unref();
      };
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        clearTimeout(timer);
      };
    },
    count: () => count,
    since: (before, topics) =>
      count > before && (allAt > before || topics.some((topic) => (changedAt.get(topic) ?? 0) > before)),
  };
}
