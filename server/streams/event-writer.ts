import type { Response } from 'express';
import { heartbeatBytes, retryBytes } from './events.rules.js';
import type { EventWriter, StreamFeed, StreamSource } from './ports.js';

/** After this time without anything written, a comment is: proxies close what is silent for a minute. */
const heartbeatMs = 15_000;

export interface OpenWriter extends EventWriter {
  /** Ends the stream and its connection, of a reader that does not read at once. */
  stop(): void;
}

export interface WriterDeps {
  /** How long the reader is told to wait before it connects again. */
  retryMs: number;
  onEvents(count: number): void;
}

/** Sends the head of the stream, and starts it. The reader is let go with the answer's `close`. */
export function openWriter(res: Response, source: StreamSource, deps: WriterDeps): OpenWriter {
  let taken = true;
  let ended = false;
  let feed: StreamFeed | undefined;

  const heartbeat = setTimeout(() => {
    // To a reader that does not even take this, the time limit of stalled connections applies.
    if (taken && !ended) send(heartbeatBytes);
    heartbeat.refresh();
  }, heartbeatMs);
  heartbeat.unref();

  const onTaken = () => {
    taken = true;
    if (!ended) feed?.onFree();
  };

  function send(bytes: Buffer): void {
    taken = false;
    res.write(bytes, onTaken);
  }

  function end(): void {
    if (ended) return;
    ended = true;
    res.end();
  }

  const writer: OpenWriter = {
    isFree: () => taken && !ended,
    write(bytes, events = 1) {
      send(bytes);
      heartbeat.refresh();
      deps.onEvents(events);
    },
    end,
    stop() {
      const { socket } = res;
      const isBehind = !taken;
      end();
      if (isBehind) socket?.destroy();
      else socket?.destroySoon();
    },
  };

  res.once('close', () => {
    ended = true;
    clearTimeout(heartbeat);
    feed?.onClose();
  });
  res.socket?.setNoDelay(true);
  send(retryBytes(deps.retryMs));
  feed = source(writer);
  return writer;
}
