import type { Request, Response } from 'express';
import { ApiError } from '../errors.js';
import { bodySentBy } from '../http/send-json.js';
import type { Random } from '../ports.js';
import { type EventStream, openEventStream } from './event-stream.js';

/** Feeds a stream until it closes. */
export type Feed = (stream: EventStream) => void;

export type Streams = ReturnType<typeof createStreams>;

/** Readers that lose their instance reconnect after a random time in this range, and not all at once. */
const retry = { leastMs: 2_000, mostMs: 5_000 };
const maxPerClient = 20;

export function createStreams(deps: { max: number; meter: StreamMeter; random: Random }) {
  const places = createPlaces({ ...deps, maxPerClient });
  let isStopping = false;

  function start(req: Request, res: Response, feed: Feed): void {
    if (res.closed) return;
    if (isStopping) throw new ApiError('NOT_READY', 'This instance is stopping.', { retryAfter: 2 });
    if (req.method === 'HEAD') {
      setHead(res);
      res.end();
      return;
    }
    const client: string = res.locals.clientKey;
    places.makeRoomFor(client);
    setHead(res);
    res.locals.answeredAt = performance.now();
    const retryMs = retry.leastMs + deps.random() * (retry.mostMs - retry.leastMs);
    const stream = openEventStream(res, { client, retryMs });
    places.take(stream);
    feed(stream);
  }

  return {
    /**
     * Opens a stream as the body of an answer. `prepare` does everything that may fail, so that its error becomes the
     * answer. Throws INVALID_REQUEST; the answer is RATE_LIMITED or NOT_READY where there is no place.
     */
    async open<T extends object>(req: Request, res: Response, prepare: () => Promise<Feed>) {
      // A pipelined answer gets its socket when its turn comes, and until then no event if the connection closes.
      if (res.socket === null) {
        const message =
          'A stream cannot be opened behind another request that the same connection still waits for.';
        throw new ApiError('INVALID_REQUEST', message);
      }
      const feed = await prepare();
      return bodySentBy<T>(async () => start(req, res, feed));
    },
    /** Ends every stream, so that its reader goes to another instance. None is opened any more. */
    stop(): void {
      isStopping = true;
      for (const stream of places.all()) stream.end();
    },
  };
}

function setHead(res: Response): void {
  res.status(200);
  res.set({
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store',
    // A proxy that collects an answer before it passes it on would hold every event back (nginx reads this).
    'X-Accel-Buffering': 'no',
    // A stream that ends closes its connection, so that an instance that stops need not wait for it.
    Connection: 'close',
  });
}

/** Why a stream was not opened, or `displaced`: ended in favour of one of another client. */
export const refusals = ['client_full', 'all_full', 'displaced'] as const;

export interface StreamMeter {
  opened(): void;
  closed(): void;
  refused(why: (typeof refusals)[number]): void;
}

/** After this time, a reader that was refused may try again. */
const retryAfter = 10;

/** Bounds the streams that are open at once: of one client, and of all. */
export function createPlaces(deps: { max: number; maxPerClient: number; meter: StreamMeter }) {
  const { max, maxPerClient, meter } = deps;
  const held = new Map<string, Set<EventStream>>();
  const all = () => [...held.values()].flatMap((streams) => [...streams]);
  let taken = 0;

  function give(stream: EventStream): void {
    const streams = held.get(stream.client);
    if (!streams?.delete(stream)) return;
    taken -= 1;
    if (streams.size === 0) held.delete(stream.client);
    meter.closed();
  }

  /** Ends the oldest stream of the client that holds most. False where none holds two more than a client with `own`. */
  function displace(own: number): boolean {
    let most = new Set<EventStream>();
    for (const streams of held.values()) if (streams.size > most.size) most = streams;
    const [oldest] = most;
    if (oldest === undefined || most.size < own + 2) return false;
    meter.refused('displaced');
    give(oldest);
    oldest.end();
    return true;
  }

  return {
    /** Throws RATE_LIMITED if the client holds as many as it may, NOT_READY if all places are taken and evenly shared. */
    makeRoomFor(client: string): void {
      const own = held.get(client)?.size ?? 0;
      if (own >= maxPerClient) {
        meter.refused('client_full');
        const message = `This client holds ${own} streams, as many as it may; close one, or try again later.`;
        throw new ApiError('RATE_LIMITED', message, { retryAfter });
      }
      if (taken < max || displace(own)) return;
      meter.refused('all_full');
      throw new ApiError('NOT_READY', 'This instance holds as many streams as it can.', { retryAfter });
    },
    take(stream: EventStream): void {
      held.set(stream.client, (held.get(stream.client) ?? new Set()).add(stream));
      taken += 1;
      meter.opened();
      stream.onClose(() => give(stream));
    },
    all,
  };
}
