import type { Attempt } from '../attempt.js';
import { FairleadError, UnexpectedAnswerError } from '../fairlead-error.js';
import type { ErrorBody } from '../generated/types.js';
import { readRetryAfter } from '../read-headers.js';
import type { Route } from '../route.js';
import type { Transport } from '../transport.js';
import type { EventParser, RawEvent } from './event-parser.js';
import type { StreamEvent } from './stream-options.js';

/** Thrown if a connection was lost; another attempt gets the present state. */
export class Lost extends Error {
  /** @param askedMs how long the answer asks to wait */
  constructor(
    override readonly cause?: unknown,
    readonly askedMs = 0,
  ) {
    super('the connection was lost');
  }
}

/** The last event of the stream, which a new connection begins with if nothing changed meanwhile. */
export interface Seen {
  text: string;
}

/** What a connection is opened for. */
export interface Opening {
  transport: Transport;
  route: Route;
  request: { url: string; init: RequestInit };
  /** The signal of the whole stream, which the attempt follows. */
  signal: AbortSignal;
  attempt: Attempt;
  parser: EventParser;
  seen: Seen;
  silenceMs: number;
  /** Called once the service has begun to stream. */
  onLive: () => void;
}

/** The longest unfinished event, so that no server can fill the memory. An event has a few kilobytes. */
const mostPendingChars = 2 ** 20;

/**
 * The events of one connection, without those that repeat the one before; returns when the service ends it. Throws Lost if another attempt may help, the error of an
 * answer that waiting does not change, and the reason of the signal.
 */
export async function* connect(opening: Opening): AsyncGenerator<StreamEvent<string, unknown>, void> {
  const { transport, route, request, attempt, parser, seen, signal } = opening;
  const { url, init } = request;
  const { send, timeoutMs } = transport;
  // Throws on a wrong address, header or option, which fetch would report like a lost connection that a retry may mend.
  new Request(url, { ...init, signal: null });
  const response = await hear(opening, timeoutMs, send(url, { ...init, signal: attempt.signal }));
  transport.tellRateLimit(route, response);
  const { status, headers, body } = response;
  const isStream = /^text\/event-stream\b/.test(headers.get('content-type') ?? '');
  if (status !== 200 || !isStream || body === null) {
    throw refusal(opening, { status, headers, text: await hear(opening, timeoutMs, response.text()) });
  }
  opening.onLive();
  const reader = body.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await hear(opening, opening.silenceMs, reader.read());
      if (done) return;
      for (const raw of parser.parse(decoder.decode(value, { stream: true }))) {
        // This is an event of a later version, whose form is not known.
        if (!route.events?.includes(raw.event)) continue;
        const text = `${raw.event} ${raw.data}`;
        if (text === seen.text) continue;
        seen.text = text;
        yield read(opening, headers, raw);
        signal.throwIfAborted();
      }
      if (parser.pendingChars > mostPendingChars) {
        const fault = { path: 'body', message: `an event of more than ${mostPendingChars} characters` };
        throw new UnexpectedAnswerError(route.operationId, { status, headers, body: null }, fault);
      }
    }
  } finally {
    // A fetch that ignores signals needs this.
    reader.cancel().catch(() => undefined);
  }
}

/** Awaits the promise. Throws Lost if it fails, unless the whole stream was ended. */
async function hear<T>({ attempt, signal }: Opening, limitMs: number, waitedFor: Promise<T>): Promise<T> {
  try {
    return await attempt.within(limitMs, waitedFor);
  } catch (error) {
    signal.throwIfAborted();
    throw new Lost(error);
  }
}

/** The error for an answer that is no stream: Lost if waiting may help. */
function refusal({ transport, route }: Opening, answer: Parameters<Transport['answerOf']>[1]): unknown {
  const { status, headers, text } = answer;
  const error =
    status < 400 ? new UnexpectedAnswerError(route.operationId, { status, headers, body: text }) : errorOf();
  const isPassing = status >= 500 || status === 429 || status === 408;
  return isPassing ? new Lost(error, (readRetryAfter(headers) ?? 0) * 1000) : error;

  function errorOf(): unknown {
    try {
      const { body } = transport.answerOf(route, answer);
      return new FairleadError({ status, headers, body: body as ErrorBody });
    } catch (error) {
      return error;
    }
  }
}

function read({ transport, route }: Opening, headers: Headers, { event, data }: RawEvent) {
  return { event, data: transport.dataOf(route, headers, data, event === 'problem') };
}
