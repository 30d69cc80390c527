import type { Response } from 'express';
import { heartbeatBytes, retryBytes } from './events.rules.js';
import type { EventWriter, StreamFeed, StreamSource } from './ports.js';

/** After this time without a write a comment is sent: proxies close a connection that is silent for a minute. */
const heartbeatMs = 15_000;

export interface OpenWriter extends EventWriter {
  /** Ends the stream and its connection; at once if the reader is behind. */
  stop(): void;
}

export interface WriterDeps {
  /** How long the reader is told to wait before it connects again. */
  retryMs: number;
  onEvents(count: number): void;
}

/** Starts the stream: sends its first bytes and begins to feed it. The reader is released on the answer's `close`. */
export function openWriter(res: Response, source: StreamSource, deps: WriterDeps): OpenWriter {
  let taken = true;
  let ended = false;
  let feed: StreamFeed | undefined;

  const heartbeat = setTimeout(() => {
    // A reader that does not even take this is closed by the time limit of stalled connections.
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
