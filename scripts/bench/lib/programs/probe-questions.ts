/** The memory that a program uses. */
export interface MemoryReading {
  /** Bytes still reachable after a full collection, those of Buffers included. */
  heapBytes: number;
  rssBytes: number;
}

/** What keeps the event loop of a program running, and what should not pile up in it. */
export interface ResourcesReading {
  /** Timers, sockets and so on, by the names that Node has for them. */
  active: Record<string, number>;
  /** Listeners on the process itself. */
  listeners: number;
  /** How often Node has warned of more listeners than one object should have. */
  listenerWarnings: number;
}

/** Objects that are still reachable after a full collection. */
export interface ObjectsReading {
  emitters: number;
  abortSignals: number;
  timers: number;
  sockets: number;
  promises: number;
}

export const cpuQuestion = 'cpu';
export const memoryQuestion = 'memory';
export const resourcesQuestion = 'resources';
export const objectsQuestion = 'objects';
