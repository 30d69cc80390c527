import { asObject, parseJson } from '../anchor-documents/json.js';
import { readRetryAfter } from '../client/read-headers.js';
import { type OfframpErrorCode, Stop } from './errors.js';
import type { Run } from './options.js';

const timeoutMs = 15_000;
const maxAnswerChars = 1_000_000;
const maxDetailChars = 200;

/** Thrown if a party cannot be reached or refuses for the moment, so that a retry may succeed. */
export class Unavailable extends Error {
  constructor(
    message: string,
    /** How long the party asked to wait, or null. */
    readonly retryAfterMs: number | null = null,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

export interface Answer {
  status: number;
  text: string;
}

/**
 * Sends a request to the anchor or the ledger. Throws Unavailable where a retry may succeed: on 429, 5xx and lost
 * connections.
 */
export async function exchange(run: Run, url: string, init: RequestInit = {}): Promise<Answer> {
  // The signals are joined by hand because AbortSignal.any is too new for browsers of two years ago.
  const controller = new AbortController();
  const follow = () => controller.abort(run.signal?.reason);
  if (run.signal?.aborted) follow();
  else run.signal?.addEventListener('abort', follow, { once: true });
  const timer = setTimeout(() => controller.abort(new DOMException('no answer', 'TimeoutError')), timeoutMs);
  try {
    // A redirect could take the token or the payment to another host. Browsers hide its status.
    const request = { ...init, cache: 'no-store', redirect: 'manual', signal: controller.signal } as const;
    const response = await run.fetch(url, request);
    const isRedirect = response.redirected || response.type === 'opaqueredirect';
    if (isRedirect) return { status: 302, text: '' };
    const text = await readText(response);
    const { status } = response;
    if (status === 429 || status >= 500) {
      throw new Unavailable(
        `${new URL(url).host} answered ${status}`,
        retryAfterMs(response.headers, run.clock()),
      );
    }
    return { status, text };
  } catch (error) {
    if (run.signal?.aborted || error instanceof Unavailable) throw error;
    throw new Unavailable(`${new URL(url).host} does not answer`, null, error);
  } finally {
    clearTimeout(timer);
    run.signal?.removeEventListener('abort', follow);
  }
}

/** Reads in pieces, so that an endless answer fills no memory; at once if the platform has no streams (React Native). */
async function readText(response: Response): Promise<string> {
  if (typeof response.body?.getReader !== 'function') return bounded(await response.text());
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text + decoder.decode();
      text = bounded(text + decoder.decode(value, { stream: true }));
    }
  } catch (error) {
    await reader.cancel().catch(() => undefined);
    throw error;
  }
}

function bounded(text: string): string {
  if (text.length > maxAnswerChars) throw new Error(`an answer of more than ${maxAnswerChars} characters`);
  return text;
}

/** How long the answer asks to wait, in seconds or until a date; null if it does not say. */
export function retryAfterMs(headers: Headers, nowMs: number): number | null {
  const seconds = readRetryAfter(headers, nowMs);
  return seconds === null ? null : seconds * 1_000;
}

/** The members of a JSON object; undefined for any other text. */
export function membersOf(text: string): Record<string, unknown> | undefined {
  try {
    return asObject(parseJson(text)) ?? undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The error for an answer of the anchor that a step cannot use, with what the answer says. */
export function refusal({ status, text }: Answer): Stop {
  const { error } = membersOf(text) ?? {};
  const said = typeof error === 'string' ? `: ${error.slice(0, maxDetailChars)}` : '';
  return new Stop('anchor_refused', { detail: `${status}${said}` });
}

const firstWaitMs = 500;
const longestWaitMs = 8_000;

type UnavailableCode = Extract<OfframpErrorCode, `${string}_unavailable`>;

/** Retries while the party is unavailable, for `patienceMs`, with growing waits that are no shorter than it asks. */
export async function patiently<T>(run: Run, code: UnavailableCode, call: () => Promise<T>): Promise<T> {
  const endsAt = run.clock() + run.patienceMs;
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      const pauseMs = Math.max(waitMs, error.retryAfterMs ?? 0);
      if (run.clock() + pauseMs > endsAt) throw new Stop(code, { detail: error.message, cause: error });
      await run.wait(pauseMs, run.signal);
    }
  }
}

/** Awaits the promise, or rejects when the signal aborts first: wallets and pages do not know the signal. */
export function untilAborted<T>(run: Run, waitedFor: Promise<T>): Promise<T> {
  const { signal } = run;
  if (signal === undefined) return waitedFor;
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    waitedFor.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** The result of the call, or null if the party is unavailable at the moment. */
export async function orNull<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof Unavailable) return null;
    throw error;
  }
}
