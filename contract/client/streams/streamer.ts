import { type Attempt, startAttempt } from '../attempt.js';
import type { CallArguments, Route } from '../route.js';
import { reportThrown, type Transport } from '../transport.js';
import { connect, Lost, type Seen } from './connection.js';
import { createEventParser } from './event-parser.js';
import type { StreamEvent, StreamOptions, StreamState } from './stream-options.js';

type Events = AsyncGenerator<StreamEvent<string, unknown>, void, undefined>;

/** Streams the events of an operation, over as many connections as needed, until the loop over them ends. */
export type Streamer = (route: Route, args: CallArguments, options?: StreamOptions) => Events;

/** The wait before reconnecting until a stream names another. */
const usualRetryMs = 1_000;

/** The streamer of every client. It reads at the pace of the loop that consumes the events. */
export function createStreamer(transport: Transport): Streamer {
  return (route, args, options = {}) => {
    let whole: Attempt | undefined;
    let isLeft = false;
    async function* untilLeft(): Events {
      whole = startAttempt(options.signal ?? options.fetchOptions?.signal);
      try {
        yield* reconnecting(transport, route, args, options, whole.signal);
      } catch (error) {
        if (!isLeft) throw error;
      } finally {
        whole.end();
      }
    }
    const events = untilLeft();
    const leave = events.return.bind(events);
    return Object.assign(events, {
      // A plain generator would return only after the awaited event.
      return(value: undefined) {
        isLeft = true;
        whole?.end();
        return leave(value);
      },
    });
  };
}

async function* reconnecting(
  transport: Transport,
  route: Route,
  args: CallArguments,
  options: StreamOptions,
  signal: AbortSignal,
): Events {
  const { onState, silenceMs = 45_000 } = options;
  const tell = (state: StreamState) => reportThrown(() => onState?.(state));
  const onLive = () => tell({ state: 'live' });
  const seen: Seen = { text: '' };
  let retryMs = usualRetryMs;
  for (let attempts = 1; ; attempts += 1) {
    tell({ state: 'connecting' });
    const request = requestOf(transport, route, args, options);
    const attempt = startAttempt(signal);
    const parser = createEventParser();
    let lost: Lost;
    try {
      yield* connect({ transport, route, request, signal, attempt, parser, seen, silenceMs, onLive });
      lost = new Lost();
    } catch (error) {
      if (!(error instanceof Lost)) throw error;
      lost = error;
    } finally {
      attempt.end();
    }
    retryMs = parser.retryMs ?? retryMs;
    if (parser.isAlive) attempts = 1;
    const waitMs = reconnectWaitMs(attempts, lost.askedMs, retryMs, Math.random());
    tell({ state: 'waiting', waitMs, cause: lost.cause });
    await transport.wait(waitMs, signal);
  }
}

function requestOf(
  transport: Transport,
  route: Route,
  args: CallArguments,
  { extraHeaders, fetchOptions }: StreamOptions,
): ReturnType<Transport['requestOf']> {
  return transport.requestOf(route, {
    ...args,
    extraHeaders: { accept: 'text/event-stream', ...extraHeaders },
    // An event stream is never cached. Node has no such option, and ignores it.
    fetchOptions: { cache: 'no-store', ...fetchOptions } as RequestInit,
  });
}

const longestSpreadMs = 30_000;
/** The least time, whatever a stream asks for, so that its readers do not reconnect at once or all together. */
const leastRetryMs = 500;

/**
 * How long to wait before the n-th attempt in a row to reconnect: the requested time plus a random time that grows with
 * every failure, since a service that stops loses all its readers at once.
 * @param askedMs what `Retry-After` asks for; 0 where nothing does
 * @param retryMs what `retry` of the stream asks for; taken as 500 where it is less
 * @param random from 0 to 1
 */
function reconnectWaitMs(attempt: number, askedMs: number, retryMs: number, random: number): number {
  const paceMs = Math.max(leastRetryMs, retryMs);
  return Math.max(askedMs, paceMs) + random * Math.min(longestSpreadMs, paceMs * 2 ** (attempt - 2));
}
