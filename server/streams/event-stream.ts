import type { Response } from 'express';

/** A stream to one reader. It keeps one event at most: a reader that is behind gets the newest, and none of those before. */
export interface EventStream {
  /** The client that holds it. */
  client: string;
  /** Writes an event (eventBytes) once the reader has taken what was written before. */
  send(event: Buffer): void;
  /** Ends the stream and its connection; at once if the reader is behind. */
  end(): void;
  /** Calls this when the stream has ended, on either side. */
  onClose(closed: () => void): void;
}

/** After this time without a write a comment is sent: proxies close a connection that is silent for a minute. */
const heartbeatMs = 15_000;

/** Starts the stream. `retryMs`: how long the reader is told to wait before it connects again. */
export function openEventStream(res: Response, deps: { client: string; retryMs: number }): EventStream {
  let newest: Buffer | undefined;
  let isBehind = false;
  let isOver = false;

  const heartbeat = setInterval(() => {
    // A reader that takes nothing is left to the time limit of idle connections, which a heartbeat would put off.
    if (!isBehind && !isOver) write(heartbeatBytes);
  }, heartbeatMs);
  heartbeat.unref();
  res.once('close', () => {
    isOver = true;
    clearInterval(heartbeat);
  });

  function write(bytes: Buffer): void {
    isBehind = true;
    heartbeat.refresh();
    res.write(bytes, (error) => {
      isBehind = false;
      if (error || isOver || newest === undefined) return;
      const next = newest;
      newest = undefined;
      write(next);
    });
  }

  write(Buffer.from(`retry: ${Math.round(deps.retryMs)}\n\n`));
  return {
    client: deps.client,
    send(event) {
      if (isOver) return;
      if (isBehind) newest = event;
      else write(event);
    },
    end() {
      if (isOver) return;
      isOver = true;
      if (isBehind) res.destroy();
      else res.end();
    },
    onClose: (closed) => void res.once('close', closed),
  };
}

// Server-sent events as the HTML standard has them: https://html.spec.whatwg.org/multipage/server-sent-events.html

/** A comment: readers ignore it, proxies see that the connection is in use. */
const heartbeatBytes = Buffer.from(': \n\n');

/** JSON has no line break, so the data is one line. */
export function eventBytes(event: string, data: unknown): Buffer {
  return Buffer.from(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}
