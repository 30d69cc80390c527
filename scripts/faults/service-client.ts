import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../../server/ports.js';
import { credentials } from './surroundings.js';

export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the storm reads answers of every operation
  body: any;
}

/** Requests to the service as its clients make them: to any instance, and again where there was no answer. */
export type ServiceClient = ReturnType<typeof createServiceClient>;

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
  const any = () => urls[Math.floor(random() * urls.length)] as string;

  async function request(url: string, init: RequestInit): Promise<Response> {
    addresses += 1;
    const headers = new Headers(init.headers);
    // Each request has an address of its own unless it names one: other tests are about limits.
    if (!headers.has('x-forwarded-for'))
      headers.set('x-forwarded-for', `10.${[16, 8, 0].map((by) => (addresses >> by) & 255).join('.')}`);
    const response = await fetch(url, {
      ...init,
      headers,
      signal: AbortSignal.any([signal, AbortSignal.timeout(requestTimeoutMs)]),
    });
    if (response.status === 500)
      failures.push(`${init.method ?? 'GET'} ${url}: ${await response.clone().text()}`);
    return response;
  }

  /** One request, to an instance by chance or the one of this URL; null where no answer came. */
  async function once(
    method: string,
    path: string,
    body?: object,
    url = any(),
    from?: string,
  ): Promise<Answer | null> {
    const headers: Record<string, string> = {
      ...(from === undefined ? {} : { 'x-forwarded-for': from }),
      'x-admin-key': credentials.adminKey,
      authorization: `Bearer ${credentials.cronSecret}`,
    };
    if (body !== undefined) headers['content-type'] = 'application/json';
    try {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const response = await request(url + path, { method, headers, ...sent });
      return { status: response.status, body: await response.json() };
    } catch {
      signal.throwIfAborted();
      return null;
    }
  }

  return {
    once,
    failures,
    /** Repeats a request that may be repeated until it is answered other than by 429 or 5xx. */
    async send(method: string, path: string, body?: object, from?: string): Promise<Answer> {
      for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
        const answer = await once(method, path, body, any(), from);
        if (answer !== null && answer.status < 500 && answer.status !== 429) return answer;
        const seconds = answer?.body.retryAfter;
        await delay(seconds === undefined ? waitMs : seconds * 1_000, undefined, { signal });
      }
    },
    /** `fetch` to an instance by chance, for the clients of the contract. */
    fetch: ((input, init) => {
      const { pathname, search } = new URL(String(input));
      return request(any() + pathname + search, init ?? {});
    }) as typeof fetch,
  };
}
