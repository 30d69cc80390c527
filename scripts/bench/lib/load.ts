import autocannon from 'autocannon';
import { addressIn } from '../../lib/addresses.js';
import { percentile } from './figures.js';

export interface Load {
  url: string;
  method?: 'GET' | 'POST';
  seconds: number;
  /** Number of open connections, each with one request in flight. */
  connections: number;
  headers?: Record<string, string>;
  /** The status that every answer must have. */
  expect: number;
  /** The requests of one connection, sent in turn and repeated; without it all requests are the same. */
  requests?: (connection: number) => LoadRequest[];
  /** Makes each request when it is sent, in place of `requests`, where no two may be the same. */
  next?: () => LoadRequest;
}

export interface LoadRequest {
  path?: string;
  headers?: Record<string, string>;
  body?: string;
}

export interface LoadResult {
  /** All that were answered. Only those after the warm-up count in the figures below. */
  requests: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
}

/** Not measured, because connections are being opened, requests prepared, and code is not compiled yet. */
const warmUpMs = 300;

/**
 * Sends load by autocannon, from this process. Throws if an answer had another status than expected, a connection failed, or
 * nothing was answered. Latencies are measured here: autocannon counts them in whole milliseconds.
 */
export async function fire(load: Load): Promise<LoadResult> {
  const { url, method = 'GET', seconds, connections, headers = {}, expect, requests, next } = load;
  const { origin, pathname, search } = new URL(url);
  const alike = { method, path: pathname + search, headers };
  const completed = (each: LoadRequest) => ({ ...alike, ...each, headers: { ...headers, ...each.headers } });
  const latenciesMs: number[] = [];
  let others = 0;
  let answered = 0;
  let prepared = 0;
  let countFrom = Number.POSITIVE_INFINITY;
  let lastAt = 0;

  const options: autocannon.Options = {
    url: origin,
    connections,
    duration: seconds + warmUpMs / 1_000,
    // How often autocannon checks whether the load is over.
    sampleInt: 20,
    requests: [next === undefined ? alike : { ...alike, setupRequest: () => completed(next()) }],
    setupClient(client) {
      const own = requests?.(prepared);
      if (own !== undefined) client.setRequests(own.map(completed));
      prepared += 1;
      countFrom = performance.now() + warmUpMs;
    },
  };
  const errors = await new Promise<number>((resolve, reject) => {
    const instance = autocannon(options, (error, result) =>
      error === null ? resolve(result.errors) : reject(error),
    );
    instance.on('response', (_client, status, _bytes, latencyMs) => {
      lastAt = performance.now();
      answered += 1;
      if (status !== expect) others += 1;
      if (lastAt >= countFrom) latenciesMs.push(latencyMs);
    });
  });
  if (others > 0) throw new Error(`${others} answers of ${url} were not ${expect}`);
  if (errors > 0) throw new Error(`${errors} connections to ${url} failed or were too slow`);
  if (latenciesMs.length === 0) throw new Error(`${url} answered nothing in ${seconds} s`);
  return {
    requests: answered,
    perSecond: latenciesMs.length / ((lastAt - countFrom) / 1_000),
    p50Ms: percentile(latenciesMs, 50),
    p99Ms: percentile(latenciesMs, 99),
  };
}

/** The headers by which a proxy names this client. */
export function forwardedFor(address: string): { headers: Record<string, string> } {
  return { headers: { 'x-forwarded-for': address } };
}

/** `count` client addresses from the `first` on. */
export function clientAddresses(first: number, count: number): string[] {
  return Array.from({ length: count }, (_, place) => addressIn(10, first + place));
}
