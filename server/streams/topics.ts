import type { EventStream } from './event-stream.js';

/** Something that readers follow. Each is sent its present event when it comes, and the next one whenever it changes. */
export interface Topic<About> {
  about: About;
  readers: ReadonlySet<EventStream>;
  /** Sends the event to every reader, unless it is the one that they have. */
  show(event: Buffer): void;
}

/** The topics that somebody follows. One timer looks after all of them, and there is none without readers. */
export function createTopics<About>(deps: {
  everyMs: number;
  /** Called every `everyMs`. */
  look(topics: ReadonlyMap<string, Topic<About>>): void;
  /** Called when the first reader of all topics has come, and when the last one has left. */
  onUse?(isUsed: boolean): void;
}) {
  const topics = new Map<string, ReturnType<typeof createTopic<About>>>();
  let timer: NodeJS.Timeout | undefined;

  function leave(key: string, reader: EventStream): void {
    if (topics.get(key)?.remove(reader) === 0) topics.delete(key);
    if (topics.size > 0) return;
    clearInterval(timer);
    timer = undefined;
    deps.onUse?.(false);
  }

  return {
    /** Adds a reader until its stream closes. `begin` is called where nobody follows the topic yet. */
    join(key: string, begin: () => About, reader: EventStream): Topic<About> {
      const topic = topics.get(key) ?? createTopic(begin());
      topics.set(key, topic);
      topic.add(reader);
      reader.onClose(() => leave(key, reader));
      if (timer === undefined) {
        timer = setInterval(() => deps.look(topics), deps.everyMs).unref();
        deps.onUse?.(true);
      }
      return topic;
    },
    has: (key: string) => topics.has(key),
  };
}

function createTopic<About>(about: About) {
  const readers = new Set<EventStream>();
  let shown: Buffer | undefined;
  return {
    about,
    readers,
    show(event: Buffer) {
      if (shown?.equals(event)) return;
      shown = event;
      for (const reader of readers) reader.send(event);
    },
    add(reader: EventStream) {
      readers.add(reader);
      if (shown !== undefined) reader.send(shown);
    },
    /** Returns how many readers are left. */
    remove(reader: EventStream): number {
      readers.delete(reader);
      return readers.size;
    },
  };
}
