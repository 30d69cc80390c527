import pLimit from 'p-limit';
import { Agent } from 'undici';
import { parseJson as parseAnyJson } from '../../contract/anchor-documents/json.js';
import { untilAborted } from '../timing.js';
import { createPublicLookup, type LookupFn, systemLookup, vettingConnector } from './connect.js';
import { type Answer, exchange, type OutboundRequest } from './exchange.js';
import { OutboundError } from './outbound-error.js';
import { originsOfOperator, vetUrl } from './vet-url.js';

export type { LookupFn } from './connect.js';
export type { OutboundRequest } from './exchange.js';
export { OutboundError, type OutboundFailure } from './outbound-error.js';
export { parseOutboundAllow } from './vet-url.js';

/** A redirect is an answer like any other; it is not followed. */
export interface OutboundAnswer extends Answer {
  /** What an expected JSON body holds; undefined unless the status is 200. */
  json?: unknown;
  elapsedMs: number;
}

/** Rejects with an OutboundError, or with another error if the caller's own arguments are wrong. */
export type Outbound = (request: OutboundRequest) => Promise<OutboundAnswer>;

export interface OutboundOptions {
  /**
   * Exact origins that are exempt: `parseOutboundAllow` or `originsOfOperator` of vet-url.ts gives them. Any caller of
   * this connector can reach them.
   */
  allow: readonly string[];
  /** In place of DNS and the system's resolver. */
  lookup?: LookupFn;
  /** PEM authorities in place of the system's. */
  ca?: string;
  /** How many exchanges run at once, over all origins; others wait, within their own time limits. */
  maxConcurrent?: number;
}

const maxHeaderBytes = 16 * 1_024;
/** Under the 5 s after which Node's own servers close an idle connection. */
const idleTimeoutMs = 4_000;
const maxIdleTimeoutMs = 30_000;

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
    return parseAnyJson(body.toString('utf8'));
  } catch (error) {
    throw new OutboundError('bad_response', 'the answer is not JSON', error);
  }
}

/** Makes every call to an address that comes from others. See vet-url.ts for the addresses that it allows. */
export function createOutbound(options: OutboundOptions): { request: Outbound; close(): Promise<void> } {
  const listed = new Set(options.allow);
  const inTurn = pLimit(options.maxConcurrent ?? 512);
  const closing = new AbortController();
  const connections = {
    lookup: options.lookup ?? createPublicLookup(),
    listedLookup: options.lookup ?? systemLookup,
    ca: options.ca,
  };
  const agent = new Agent({
    connect: vettingConnector(listed, connections, closing.signal),
    pipelining: 1,
    maxHeaderSize: maxHeaderBytes,
    keepAliveTimeout: idleTimeoutMs,
    keepAliveMaxTimeout: maxIdleTimeoutMs,
    // The time limit of the whole exchange is ours; these would only limit the gaps in it.
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  async function request(asked: OutboundRequest): Promise<OutboundAnswer> {
    const startedAtMs = performance.now();
    const target = vetUrl(asked.url, listed);
    const ending = new AbortController();
    const timer = setTimeout(() => {
      ending.abort(new OutboundError('timeout', `no answer in ${asked.timeoutMs} ms`));
    }, asked.timeoutMs);
    try {
      const { signal } = ending;
      const answer = await untilAborted(signal, () =>
        inTurn(() => {
          closing.signal.throwIfAborted();
          signal.throwIfAborted();
          return exchange(agent, target, asked, signal);
        }),
      );
      const elapsedMs = Math.max(0, Math.round(performance.now() - startedAtMs));
      const json = asked.expects === 'json' && answer.status === 200;
      return { ...answer, elapsedMs, ...(json ? { json: parseJson(answer.body) } : {}) };
    } finally {
      clearTimeout(timer);
    }
  }

  async function close() {
    const closed = new OutboundError('unreachable', 'the connector is closed');
    closing.abort(closed);
    await agent.destroy(closed);
  }

  return { request, close };
}
