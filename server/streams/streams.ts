import type { Request, Response } from 'express';
import { ApiError } from '../errors.js';
import { bodySentBy } from '../http/streamed-body.js';
import type { Random } from '../ports.js';
import { type OpenWriter, openWriter } from './event-writer.js';
import { createPlaces, type StreamRefusal } from './places.js';
import type { StreamSource } from './ports.js';

/** The kinds of streams, which the metrics distinguish. */
export const streamNames = ['rates', 'intents'] as const;
export type StreamName = (typeof streamNames)[number];

export interface StreamMeter {
  opened(stream: StreamName): void;
  closed(stream: StreamName): void;
  sent(stream: StreamName, events: number): void;
  refused(why: StreamRefusal): void;
}

type OpenArguments = [
  stream: StreamName,
  request: { req: Request; res: Response },
  prepare: () => Promise<StreamSource | undefined>,
];

export interface Streams {
  /**
   * Opens a stream as the body of an answer. `prepare` does everything that may fail, so that its error becomes the
   * answer, and returns the feed of the stream. Throws INVALID_REQUEST, RATE_LIMITED and NOT_READY.
   */
  open<T extends object>(...args: OpenArguments): Promise<T | undefined>;
  /** Ends every stream, so that its reader goes to another instance. None is opened any more. */
  stop(): Promise<void>;
}

/** Readers that lose their instance reconnect after a random time in this range, and not all at once. */
const retry = { leastMs: 2_000, mostMs: 5_000 };
/** How many streams are ended before other work may run. */
const endedAtOnce = 200;

export function createStreams(deps: {
  max: number;
  maxPerClient: number;
  meter: StreamMeter;
  random: Random;
}): Streams {
  const { meter, random } = deps;
  const places = createPlaces({ ...deps, onRefusal: meter.refused });
  const open = new Set<OpenWriter>();
  let stopping = false;

  function start(stream: StreamName, req: Request, res: Response, source: StreamSource): void {
    setHead(res);
    if (req.method === 'HEAD') {
      res.end();
      return;
    }
    res.flushHeaders();
    res.locals.answeredAt = performance.now();
    meter.opened(stream);
    const writer = openWriter(res, source, {
      retryMs: retry.leastMs + random() * (retry.mostMs - retry.leastMs),
      onEvents: (count) => meter.sent(stream, count),
    });
    open.add(writer);
    res.once('close', () => {
      open.delete(writer);
      meter.closed(stream);
    });
  }

  return {
    async open<T extends object>(...[stream, { req, res }, prepare]: OpenArguments) {
      refuseBehindAnother(res);
      refuseWhileStopping();
      const give = places.take(res.locals.clientKey);
      // The place is given back however the request ends; it may have ended already.
      if (res.closed) give();
      else res.once('close', give);
      const source = await prepare();
      refuseWhileStopping();
      if (source === undefined) return undefined;
      return bodySentBy<T>(async () => {
        if (!res.closed) start(stream, req, res, source);
      });
    },
    async stop() {
      stopping = true;
      let ended = 0;
      for (const writer of [...open]) {
        writer.stop();
        ended += 1;
        if (ended % endedAtOnce === 0) await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };

  function refuseWhileStopping(): void {
    if (stopping) throw new ApiError('NOT_READY', 'This instance is stopping.', { retryAfter: 2 });
  }
}

/** A pipelined answer gets its socket when its turn comes, and until then no event if the connection closes. */
function refuseBehindAnother(res: Response): void {
  if (res.socket !== null) return;
  throw new ApiError(
    'INVALID_REQUEST',
    'A stream cannot be opened behind another request that the same connection still waits for.',
  );
}

function setHead(res: Response): void {
  res.status(200);
  res.setHeader('Content-Type', 'text/event-stream; charset=utf-8');
  res.setHeader('Cache-Control', 'no-store');
  // A proxy that collects an answer before it passes it on would hold every event back (nginx reads this).
  res.setHeader('X-Accel-Buffering', 'no');
}
