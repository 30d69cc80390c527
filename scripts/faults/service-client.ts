import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '../../contract/client/validating/create-client.js';
import type { Random } from '../../server/ports.js';
import { credentials } from '../lib/instances.js';
import { pick } from '../lib/random.js';

/** The clients of the contract, whose requests go to an instance by chance. */
export type ServiceClient = ReturnType<typeof createServiceClient>;

type Fetch = typeof globalThis.fetch;

const anyInstance = 'http://any-instance';
const requestTimeoutMs = 15_000;
const firstWaitMs = 100;
const longestWaitMs = 2_000;

/** `signal` ends what is repeated. */
export function createServiceClient(options: {
  urls: readonly string[];
  random: Random;
  signal: AbortSignal;
}) {
  const { urls, random, signal } = options;
  /** Answers of status 500, each with its request. */
  const failures: string[] = [];
  let addresses = 0;

  const fetchOnce: Fetch = async (input, init) => {
    const { origin, pathname, search } = new URL(String(input));
    addresses += 1;
    const headers = new Headers(init?.headers);
    // Each request has an address of its own unless it names one: other tests are about limits.
    if (!headers.has('x-forwarded-for'))
      headers.set('x-forwarded-for', `10.${[16, 8, 0].map((by) => (addresses >> by) & 255).join('.')}`);
    const url = (origin === anyInstance ? pick(random, urls) : origin) + pathname + search;
    const within = AbortSignal.any([signal, AbortSignal.timeout(requestTimeoutMs)]);
    const response = await fetch(url, { ...init, headers, signal: within });
    const text = await response.text();
    if (response.status === 500) failures.push(`${init?.method} ${url}: ${text}`);
    return new Response(text, response);
  };

  /** Repeats a request that may be repeated until it is answered other than by 429 or 5xx. */
  const fetchUntilAnswered: Fetch = async (input, init) => {
    for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
      const answer = await fetchOnce(input, init).catch(() => undefined);
      signal.throwIfAborted();
      if (answer !== undefined && answer.status < 500 && answer.status !== 429) return answer;
      const seconds = Number(answer?.headers.get('retry-after') ?? waitMs / 1_000);
      await delay(seconds * 1_000, undefined, { signal });
    }
  };

  const clientOf = (url: string, fetch: Fetch) =>
    createClient(url, { ...credentials, fetch, retry: false, timeoutMs: 600_000 });
  return {
    failures,
    /** Repeats what is not answered. */
    service: clientOf(anyInstance, fetchUntilAnswered),
    /** Asks once. */
    once: (url = anyInstance) => clientOf(url, fetchOnce),
  };
}
