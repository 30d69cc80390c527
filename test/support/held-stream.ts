import type { EventStream } from '../../server/streams/event-stream.js';

export interface HeldStream extends EventStream {
  /** What was sent, as text. */
  events: string[];
  isEnded: boolean;
  /** Ends the stream as its reader does. */
  close(): void;
}

/** A stream without a connection, whose reader takes everything. */
export function heldStream(client = 'a'): HeldStream {
  const listeners: (() => void)[] = [];
  const stream: HeldStream = {
    client,
    events: [],
    isEnded: false,
    send: (event) => void stream.events.push(event.toString()),
    end() {
      stream.isEnded = true;
      stream.close();
    },
    onClose: (closed) => void listeners.push(closed),
    close() {
      for (const closed of listeners.splice(0)) closed();
    },
  };
  return stream;
}
