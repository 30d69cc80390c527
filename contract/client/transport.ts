import { type TextAnswer, waitByTimer } from './attempt.js';
import type { Answer, ClientOptions } from './client-options.js';
import { FairleadError, UnexpectedAnswerError } from './fairlead-error.js';
import type { ErrorBody } from './generated/types.js';
import { readRateLimit } from './read-headers.js';
import { addressOf, type CallArguments, mergeHeaders, type Route } from './route.js';

/** Where an answer differs from the contract. */
export interface AnswerFault {
  path: string;
  message: string;
}

/** What one kind of client adds to the common transport. */
interface TransportParts {
  /** The headers with the credential of this operation; they are sent with no other operation. */
  credential?: (route: Route) => Record<string, string>;
  /**
   * What is wrong with the body of an answer; undefined where nothing is.
   * @param status null for an error in a stream, which has none
   */
  faultOf?: (route: Route, status: number | null, body: unknown) => AnswerFault | undefined;
}

/** How a client makes requests and checks answers, whether they are read whole or as a stream. */
export interface Transport {
  send: typeof globalThis.fetch;
  /** Time for one attempt. */
  timeoutMs: number;
  /** Waits; rejects with the reason of the signal when that aborts. */
  wait: (waitMs: number, signal: AbortSignal | undefined) => Promise<void>;
  /** The request of a call. Throws RangeError on an empty path parameter. */
  requestOf(route: Route, args: CallArguments): { url: string; init: RequestInit };
  /** Passes the rate limit that an answer states to `onRateLimit`. */
  tellRateLimit(route: Route, answer: { status: number; headers: Headers }): void;
  /** An answer that the contract lists. Throws FairleadError on other errors of the service, else UnexpectedAnswerError. */
  answerOf(route: Route, answer: TextAnswer): Answer<number, unknown>;
  /** The data of an event of a stream, or of a problem the error. Throws UnexpectedAnswerError on any other data. */
  dataOf(route: Route, headers: Headers, text: string, isProblem: boolean): unknown;
}

/** The transport of every client, which sends requests and reads answers. */
export function createTransport(
  baseUrl: string,
  options: ClientOptions,
  parts: TransportParts = {},
): Transport {
  const { timeoutMs = 15_000, onRateLimit, wait = waitByTimer } = options;
  return {
    // Called as a bare function: in browsers, fetch throws when it is a method of anything but the window.
    send: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    timeoutMs,
    wait,

    requestOf(route, args) {
      const { body, extraHeaders, fetchOptions, signal } = args;
      const secret = parts.credential?.(route) ?? {};
      const hasBody = body !== undefined;
      const init: RequestInit = {
        // No operation redirects. Following one would send the body, which may hold a nonce, and headers to another host.
        redirect: 'error',
        ...fetchOptions,
        ...(signal !== undefined && { signal }),
        ...(Object.keys(secret).length > 0 && { redirect: 'error' }),
        method: route.method,
        headers: mergeHeaders(
          options.headers,
          hasBody ? { 'content-type': 'application/json' } : undefined,
          secret,
          extraHeaders,
        ),
        body: hasBody ? JSON.stringify(body) : null,
      };
      return { url: addressOf(baseUrl, route, args), init };
    },

    tellRateLimit({ operationId }, { status, headers }) {
      const rateLimit = readRateLimit(headers);
      if (rateLimit !== null) reportThrown(() => onRateLimit?.(rateLimit, { operationId, status }));
    },

    answerOf(route, { status, headers, text }) {
      const answer = { status, headers, body: parsed(text) };
      // Readers of JSON disagree on doubled members and on `30.0`: what was signed is taken only as it is written.
      const isSigned = status === 200 && route.path.startsWith('/api/publisher/batches');
      if (isSigned && JSON.stringify(answer.body) !== text)
        throw new UnexpectedAnswerError(route.operationId, answer, { path: 'body', message: notAsSigned });
      const isListed = route.statuses.includes(status);
      if (status >= 400 && !isListed && isErrorOfService(headers, answer.body))
        throw new FairleadError({ status, headers, body: answer.body });
      if (!isListed) throw new UnexpectedAnswerError(route.operationId, answer);
      check(route, answer, status);
      return answer;
    },

    dataOf(route, headers, text, isProblem) {
      const answer = { status: 200, headers, body: parsed(text) };
      check(route, answer, isProblem ? null : 200);
      return answer.body;
    },
  };

  function check(route: Route, answer: Answer<number, unknown>, status: number | null): void {
    const { body } = answer;
    const isDocumented = status !== null && status < 400 ? isObject(body) : isError(body);
    if (!isDocumented) throw new UnexpectedAnswerError(route.operationId, answer);
    const fault = parts.faultOf?.(route, status, body);
    if (fault !== undefined) throw new UnexpectedAnswerError(route.operationId, answer, fault);
  }
}

const notAsSigned = 'not written as it was signed';

/** Parsed if it is JSON, otherwise the text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return text;
  }
}

/** Runs a callback. What it throws is reported as uncaught, so that the caller gets the answer all the same. */
export function reportThrown(call: () => void): void {
  try {
    call();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

/** Distinguishes an answer of the service from a proxy's own page. */
function isObject(body: unknown): boolean {
  return typeof body === 'object' && body !== null;
}

function isError(body: unknown): body is { code: string; message: string } {
  const { code, message } = Object(body) as Record<string, unknown>;
  return typeof code === 'string' && typeof message === 'string';
}

/** Whether it is an error of the service that was given before any operation, or that a later version added. */
function isErrorOfService(headers: Headers, body: unknown): body is ErrorBody {
  return headers.has('x-request-id') && isError(body);
}
