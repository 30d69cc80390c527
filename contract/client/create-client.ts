import {
  type ApiFetcher,
  type AppRoute,
  type ClientInferResponses,
  initClient,
  type PartialClientInferRequest,
} from '@ts-rest/core';
import type { input, ZodOptional, ZodTypeAny } from 'zod';
import { contract } from '../contract.js';
import type { RouteMetadata } from '../describe-route.js';
import { type RateLimit, readRateLimit, readRetryAfter } from './read-rate-limit.js';

/** How often and for how long 429 and 503 are retried. */
export interface RetryOptions {
  /** Retries after the first request; 2 when absent. */
  retries?: number;
  /** The longest wait over all retries of a call together; 10,000 when absent. An answer that asks for a longer wait is returned. */
  maxWaitMs?: number;
  /** The methods that are retried; only `GET` when absent. `POST` is safe for intents and disputes: sent twice, they count once. */
  methods?: readonly string[];
}

/** Options of `createClient`; every one may be left out. */
export interface ClientOptions {
  /** Sends the requests; the global `fetch` when absent. */
  fetch?: typeof globalThis.fetch;
  /** `X-Admin-Key`, sent to admin operations only. Never put it into a page. */
  adminKey?: string;
  /** Bearer credential, sent to internal operations only. Never put it into a page. */
  cronSecret?: string;
  /** Time for one attempt, its answer read whole; 15,000 when absent. Then the call rejects with a `TimeoutError`. */
  timeoutMs?: number;
  /** Sent with every request. */
  headers?: Readonly<Record<string, string>>;
  /** Whether and how 429 and 503 are retried after their `Retry-After`; false for never. */
  retry?: RetryOptions | false;
  /** Called with the limit headers of every answer, retried ones included. */
  onRateLimit?: (rateLimit: RateLimit, answer: { operationId: string; status: number }) => void;
  /** Waits between attempts; a timer when absent. Must reject when the signal aborts. For tests. */
  wait?: (waitMs: number, signal: AbortSignal | undefined) => Promise<void>;
}

/** What a caller of an operation gives. @ts-rest/core 3 asks for every body; one that the contract makes optional may be left out here. */
export type OperationArguments<R extends AppRoute> = R extends {
  body: infer Body extends ZodOptional<ZodTypeAny>;
}
  ? Omit<PartialClientInferRequest<R>, 'body'> & { body?: input<Body> }
  : PartialClientInferRequest<R>;

type Operation<R extends AppRoute> =
  object extends OperationArguments<R>
    ? (args?: OperationArguments<R>) => Promise<ClientInferResponses<R>>
    : (args: OperationArguments<R>) => Promise<ClientInferResponses<R>>;

type Operations<Group> = {
  [Name in keyof Group]: Group[Name] extends AppRoute ? Operation<Group[Name]> : never;
};

/** One function per operation, grouped as in `contract`; answers are told apart by `status`. */
export type Client = { [Group in keyof typeof contract]: Operations<(typeof contract)[Group]> };

/** An answer that the contract does not list: another status, or a body that is not JSON of the service. Most come from a proxy. */
export class UnexpectedAnswerError extends Error {
  readonly operationId: string;
  readonly status: number;
  readonly headers: Headers;
  /** Parsed if it is JSON, otherwise the text. */
  readonly body: unknown;

  constructor(operationId: string, answer: { status: number; headers: Headers; body: unknown }) {
    super(`${operationId}: the answer ${answer.status} is not one that the contract lists`);
    this.name = 'UnexpectedAnswerError';
    this.operationId = operationId;
    this.status = answer.status;
    this.headers = answer.headers;
    this.body = answer.body;
  }
}

interface TextAnswer {
  status: number;
  headers: Headers;
  text: string;
}

/** One attempt within its time limit, body included. The signals are joined by hand because `AbortSignal.any` is too new. */
async function exchange(
  send: typeof globalThis.fetch,
  url: string,
  init: RequestInit,
  timeoutMs: number,
): Promise<TextAnswer> {
  const { signal } = init;
  const controller = new AbortController();
  const follow = () => controller.abort(signal?.reason);
  if (signal?.aborted) follow();
  else signal?.addEventListener('abort', follow, { once: true });
  const timer = setTimeout(
    () => controller.abort(new DOMException(`no answer within ${timeoutMs} ms`, 'TimeoutError')),
    timeoutMs,
  );
  try {
    const response = await send(url, { ...init, signal: controller.signal });
    return { status: response.status, headers: response.headers, text: await response.text() };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', follow);
  }
}

function waitByTimer(waitMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, waitMs);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}

/** Tells an answer of the service from a proxy's own page or JSON. It does not validate the body. */
function isDocumented(status: number, body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return false;
  return status < 400 || ('code' in body && 'message' in body);
}

function parse(route: AppRoute, operationId: string, { status, headers, text }: TextAnswer) {
  let body: unknown = text;
  try {
    body = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  if (!(status in route.responses) || !isDocumented(status, body)) {
    throw new UnexpectedAnswerError(operationId, { status, headers, body });
  }
  return { status, headers, body };
}

function createFetcher(options: ClientOptions): ApiFetcher {
  const { adminKey, cronSecret, timeoutMs = 15_000, onRateLimit, wait = waitByTimer } = options;
  // Called as a bare function: in browsers, fetch throws when it is a method of anything but the window.
  const send: typeof globalThis.fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
  const { retries = 2, maxWaitMs = 10_000, methods = ['GET'] } = options.retry || {};
  const ownHeaders = Object.entries(options.headers ?? {}).map(([name, value]) => [
    name.toLowerCase(),
    value,
  ]);

  /** The credential that this operation takes; it is sent with no other kind of operation. */
  function credential({ access }: RouteMetadata): Record<string, string> {
    if (access === 'admin' && adminKey !== undefined) return { 'x-admin-key': adminKey };
    if (access === 'internal' && cronSecret !== undefined) return { authorization: `Bearer ${cronSecret}` };
    return {};
  }

  return async ({ route, path, method, headers, body, fetchOptions }) => {
    const metadata = route.metadata as RouteMetadata;
    const { operationId } = metadata;
    const secret = credential(metadata);
    const init: RequestInit = {
      ...fetchOptions,
      // Following a redirect would send the credential to another host.
      ...(Object.keys(secret).length > 0 && { redirect: 'error' }),
      method,
      headers: { ...Object.fromEntries(ownHeaders), ...secret, ...headers },
      body: body ?? null,
    };
    const mayRetry = options.retry !== false && methods.includes(method);
    let waitedMs = 0;
    for (let attempt = 0; ; attempt += 1) {
      const answer = await exchange(send, path, init, timeoutMs);
      const { status } = answer;
      const rateLimit = readRateLimit(answer.headers);
      if (rateLimit !== null) onRateLimit?.(rateLimit, { operationId, status });
      const seconds = status === 429 || status === 503 ? readRetryAfter(answer.headers) : null;
      const waitMs = (seconds ?? 0) * 1000;
      const isFinal = !mayRetry || seconds === null || attempt >= retries || waitedMs + waitMs > maxWaitMs;
      if (isFinal) return parse(route, operationId, answer);
      await wait(waitMs, init.signal ?? undefined);
      waitedMs += waitMs;
    }
  };
}

/** A value as one path segment: `a/b` or `..` must not lead to another operation. */
function pathSegment(name: string, value: unknown): string {
  const text = String(value);
  if (['', '.', '..'].includes(text))
    throw new RangeError(`the path parameter ${name} must not be '${text}'`);
  return encodeURIComponent(text);
}

type Call = (args?: { params?: Record<string, unknown> }) => Promise<unknown>;

/** The same client with encoded path parameters; @ts-rest/core 3 leaves the encoding to the caller. */
function encodingParams(members: object): object {
  const wrapped = Object.entries(members).map(([name, member]: [string, Call | object]) => {
    if (typeof member !== 'function') return [name, encodingParams(member)];
    const call = member as Call;
    const encoding: Call = async (args) => {
      if (args?.params === undefined) return call(args);
      const params = Object.entries(args.params).map(([key, value]) => [key, pathSegment(key, value)]);
      return call({ ...args, params: Object.fromEntries(params) });
    };
    return [name, encoding];
  });
  return Object.fromEntries(wrapped);
}

/**
 * A typed client of the service at `baseUrl` (`https://fairlead.example`, or `''` for the page's own origin), for
 * browsers and Node. Every answer that the contract lists, errors included, is a value `{status, body, headers}`;
 * a call rejects with UnexpectedAnswerError on any other answer, RangeError on an empty path parameter, a DOMException
 * named `TimeoutError` after `timeoutMs`, the reason of `fetchOptions.signal` when that aborts, and with what `fetch`
 * throws where there is no connection.
 */
export function createClient(baseUrl: string, options: ClientOptions = {}): Client {
  const client = initClient(contract, { baseUrl: baseUrl.replace(/\/+$/, ''), api: createFetcher(options) });
  return encodingParams(client) as Client;
}
