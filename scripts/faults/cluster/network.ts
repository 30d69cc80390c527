/** Who sends or receives: a member of the replica set by its number, or all instances of the service together. */
export type Place = 0 | 1 | 2 | 'services';

/** How bytes from one place to another pass. */
export interface Passage {
  /** Nothing arrives, not even the end of a connection, until the passage is open again. */
  held: boolean;
  delayMs: number;
}

/** The network between members and services, in which every direction can be disturbed separately. */
export interface Network {
  passage(from: Place, to: Place): Passage;
  /** Breaks what a place sends, what it receives, or both; towards and from these places, or every other one. */
  disturb(
    place: Place,
    ways: 'sends' | 'receives' | 'both',
    passage: Partial<Passage>,
    others?: readonly Place[],
  ): void;
  /** Lets everything pass without delay again. */
  heal(): void;
  /** Called after every change, until the function that it returns is called. */
  onChange(listener: () => void): () => void;
}

const places: readonly Place[] = [0, 1, 2, 'services'];

export function createNetwork(): Network {
  const passages = new Map<string, Passage>();
  const listeners = new Set<() => void>();
  const free: Passage = { held: false, delayMs: 0 };
  const changed = () => {
    for (const listener of listeners) listener();
  };

  return {
    passage: (from, to) => passages.get(`${from}>${to}`) ?? free,
    disturb(place, ways, passage, others = places) {
      for (const other of others.filter((one) => one !== place)) {
        if (ways !== 'receives') passages.set(`${place}>${other}`, { ...free, ...passage });
        if (ways !== 'sends') passages.set(`${other}>${place}`, { ...free, ...passage });
      }
      changed();
    },
    heal() {
      passages.clear();
      changed();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
