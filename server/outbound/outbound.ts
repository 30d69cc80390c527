import { validateHeaderName, validateHeaderValue } from 'node:http';
import { bulkhead } from 'cockatiel';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../ports.js';
import { untilAborted } from '../timing.js';
import { originsOfOperator, parseAllowedOrigin } from './allow.js';
import { createConnectionPool } from './connection-pool.js';
import { Deadline } from './deadline.js';
import { type Answer, type Exchange, exchange } from './exchange.js';
import { createPublicLookup, type LookupFn, systemLookup } from './lookup.js';
import { OutboundError } from './outbound-error.js';
import { type Target, vetUrl } from './vet-url.js';

export { parseOutboundAllow } from './allow.js';
export type { LookupFn } from './lookup.js';
export { OutboundError, type OutboundFailure } from './outbound-error.js';

export interface OutboundRequest {
  url: string;
  /** GET unless said otherwise; a body needs POST. */
  method?: 'GET' | 'POST';
  /** Headers that shape the connection (Host, Content-Length, ...) are set by the connector and refused here. */
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** For everything together: waiting for a turn, name, connection, TLS, request, header block and body. At most 120 s. */
  timeoutMs: number;
  /** The most bytes of the body, after decompression. */
  maxBytes: number;
  /** `error` (default) fails as `too_large`; `truncate` answers with the first maxBytes. */
  onOverflow?: 'error' | 'truncate';
  /** Where the body ends early or cannot be read: `error` (default) fails as `bad_response`, `take` answers with what came. */
  onBroken?: 'error' | 'take';
  /** With `json`, an answer 200 is parsed, and is a `bad_response` if it is not JSON. */
  expects?: 'json';
}

/** A redirect is an answer like any other; it is not followed. */
export interface OutboundAnswer extends Answer {
  /** What an expected JSON body holds; undefined unless the status is 200. */
  json?: unknown;
  elapsedMs: number;
}

/** Rejects with an OutboundError, or with a TypeError if the caller's own arguments are wrong. */
export type Outbound = (request: OutboundRequest) => Promise<OutboundAnswer>;

export interface OutboundOptions {
  /**
   * Exact origins that are exempt: `parseOutboundAllow` or `originsOfOperator` of allow.ts gives them. Any caller of
   * this connector can reach them.
   */
  allow: readonly string[];
  /** In place of DNS and the system's resolver. */
  lookup?: LookupFn;
  /** PEM authorities in place of the system's. */
  ca?: string;
  /** Used for `elapsedMs` only. */
  clock?: Clock;
  /** How many exchanges run at once, over all origins; others wait, within their own time limits. */
  maxConcurrent?: number;
}

const maxTimeoutMs = 120_000;
/** How many results of `vetUrl` are cached. */
const targetsKept = 200;
const ownHeaders =
  /^(host|connection|keep-alive|content-length|transfer-encoding|te|trailer|upgrade|expect|proxy-.*)$/i;

/** Makes every call to an address that comes from others. See allow.ts for the addresses that it allows. */
export function createOutbound(options: OutboundOptions): { request: Outbound; close(): Promise<void> } {
  const listed = new Set(options.allow.map(parseAllowedOrigin));
  const clock = options.clock ?? (() => performance.now());
  const turns = bulkhead(options.maxConcurrent ?? 512, Number.POSITIVE_INFINITY);
  const running = new Set<Deadline>();
  const targets = new LRUCache<string, Target>({ max: targetsKept });
  const pool = createConnectionPool({
    lookup: options.lookup ?? createPublicLookup(),
    listedLookup: options.lookup ?? systemLookup,
    ...(options.ca === undefined ? {} : { ca: options.ca }),
  });
  let closed = false;

  async function request(asked: OutboundRequest): Promise<OutboundAnswer> {
    const startedAtMs = clock();
    const what = checkArguments(asked);
    const target = targetOf(asked.url);
    if (closed) throw new OutboundError('unreachable', 'the connector is closed');

    const deadline = new Deadline();
    const expire = () => deadline.end(new OutboundError('timeout', `no answer in ${asked.timeoutMs} ms`));
    const timer = setTimeout(expire, asked.timeoutMs);
    running.add(deadline);
    try {
      const { status, headers, body, truncated } = await inTurn(target, what, deadline);
      const elapsedMs = Math.max(0, Math.round(clock() - startedAtMs));
      const answer = { status, headers, body, truncated, elapsedMs };
      return asked.expects === 'json' && status === 200 ? { ...answer, json: parseJson(body) } : answer;
    } finally {
      clearTimeout(timer);
      running.delete(deadline);
    }
  }

  function targetOf(url: string): Target {
    const known = targets.get(url);
    if (known !== undefined) return known;
    const target = vetUrl(url, listed);
    targets.set(url, target);
    return target;
  }

  function inTurn(target: Target, what: Exchange, deadline: Deadline): Promise<Answer> {
    const turn = () =>
      turns.execute(() => {
        deadline.throwIfEnded();
        return exchange(target, what, pool, deadline);
      });
    // Only a call that waits for its turn needs the signal; otherwise the exchange observes the deadline itself.
    return turns.executionSlots > 0 ? turn() : untilAborted(deadline.signal, turn);
  }

  async function close() {
    closed = true;
    for (const each of running) each.end(new OutboundError('unreachable', 'the connector is closed'));
    await pool.close();
  }

  return { request, close };
}

/**
 * The connectors of the service: to addresses that come from others, to the operator's own services, and to the
 * receivers of webhooks. The receivers have their own: those that hang must not use up the concurrent calls to anchors.
 */
export function createConnectors(options: {
  /** Exact origins out of OUTBOUND_ALLOW. */
  allow: readonly string[];
  /** FX_URL, ORACLE_URL, LEDGER_RPC_URL and HORIZON_URL, where they are set. */
  operators: readonly (string | undefined)[];
}) {
  const anyone = createOutbound({ allow: options.allow });
  const operators = createOutbound({ allow: originsOfOperator(options.operators) });
  const subscribers = createOutbound({ allow: options.allow });
  return {
    anyone: anyone.request,
    operators: operators.request,
    subscribers: subscribers.request,
    async close() {
      await Promise.all([anyone.close(), operators.close(), subscribers.close()]);
    },
  };
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (error) {
    throw new OutboundError('bad_response', 'the answer is not JSON', error);
  }
}

function checkArguments(asked: OutboundRequest): Exchange {
  const { method = 'GET', timeoutMs, maxBytes } = asked;
  if (!(timeoutMs >= 1 && timeoutMs <= maxTimeoutMs)) throw new TypeError('timeoutMs is out of range');
  if (!(Number.isSafeInteger(maxBytes) && maxBytes >= 0))
    throw new TypeError('maxBytes is not a whole number of bytes');
  if (method === 'GET' && asked.body !== undefined) throw new TypeError('a GET has no body');
  const headers: Record<string, string> = { 'user-agent': 'Fairlead', 'accept-encoding': 'gzip, br' };
  for (const [name, value] of Object.entries(asked.headers ?? {})) {
    validateHeaderValue(name, value);
    headers[checkedName(name)] = value;
  }
  return {
    method,
    headers,
    ...(asked.body === undefined ? {} : { body: asked.body }),
    maxBytes,
    onOverflow: asked.onOverflow ?? 'error',
    onBroken: asked.onBroken ?? 'error',
  };
}

/** Header names that were found valid, in lower case: callers name few, and always the same. */
const checkedNames = new LRUCache<string, string>({ max: 100 });

function checkedName(name: string): string {
  const known = checkedNames.get(name);
  if (known !== undefined) return known;
  validateHeaderName(name);
  if (ownHeaders.test(name)) throw new TypeError(`the header ${name} is set by the connector`);
  const lowerCase = name.toLowerCase();
  checkedNames.set(name, lowerCase);
  return lowerCase;
}
