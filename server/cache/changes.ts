/** What answers are made of, as far as it changes at once and not by time alone. */
export type Topic = 'fleet' | 'rates' | 'snapshot' | 'scores' | 'batches' | 'observations';

/**
 * Says when something changed in this instance, so that answers made of it before are not given again. What other
 * instances change is not told here: whoever keeps an answer bounds its age.
 */
export interface Changes {
  announce(topic: Topic): void;
  /** Everything that was made before counts as changed. */
  announceAll(): void;
  /** The number of changes so far; an answer that begins to be made now is compared with it later. */
  count(): number;
  /** Whether one of these has changed since that number. */
  since(count: number, topics: readonly Topic[]): boolean;
  /** Has this called, soon after, for one change of these topics or for many; returns what ends that. */
  onChange(topics: readonly Topic[], changed: () => void): () => void;
}

export type Announce = Changes['announce'];

/** Changes come in bursts, as when every corridor is quoted again. */
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
    since: (before, topics) => allAt > before || topics.some((topic) => (changedAt.get(topic) ?? 0) > before),
  };
}
