import type { Clock } from '../../../server/ports.js';
import type { Ledger } from '../ledger.js';
import type { Answer } from '../ports.js';
import type { AnswerLog } from './answers.js';
import { entriesAfter, entriesBefore } from './entries.rules.js';
import { faultOfAnswer } from './examined-answer.rules.js';
import type { InstanceChoice } from './instance-choice.js';
import { type Operation, operationOf } from './operations.js';

export interface InstanceFetchDeps {
  ledger: Ledger;
  answers: AnswerLog;
  clock: Clock;
}

/** The origin that requests are addressed to; each is sent to the instance that is chosen for it. */
export const anyInstance = 'http://service.invalid';

const requestTimeoutMs = 10_000;

/**
 * Creates a `fetch` for a typed client that sends each request to the chosen instance. Requests and acknowledgements are in
 * the ledger before the caller continues; every answer is checked against the contract.
 */
export function createInstanceFetch(deps: InstanceFetchDeps): (choice: InstanceChoice) => typeof fetch {
  const { ledger, answers, clock } = deps;
  /** Ledger entries already written for reads, since polling repeats them. */
  const told = new Set<string>();

  async function record(operation: Operation, body: unknown, status: number, answer: unknown): Promise<void> {
    const { route, params } = operation;
    const entries = entriesAfter({ operationId: route.operationId, params, body }, status, answer);
    const isRead = route.method === 'GET';
    await ledger.write(...(isRead ? entries.filter((entry) => isNew(JSON.stringify(entry))) : entries));
  }

  function isNew(entry: string): boolean {
    if (told.has(entry)) return false;
    told.add(entry);
    return true;
  }

  return (choice) =>
    async (input, init = {}) => {
      const { pathname, search } = new URL(String(input));
      const operation = operationOf(init.method ?? 'GET', pathname);
      const { route, kind, params } = operation;
      const isWrite = route.method !== 'GET';
      const body: unknown = typeof init.body === 'string' ? JSON.parse(init.body) : undefined;
      if (isWrite) await ledger.write(...entriesBefore({ operationId: route.operationId, params, body }));
      const url = choice.url();
      if (url === undefined) throw new TypeError('there is no instance');

      const writeEnded = isWrite ? answers.beginWrite(url) : undefined;
      const startedAtMs = clock();
      const named = { kind, route: `${route.method} ${route.path}`, url, startedAtMs };
      const heldSinceMs = choice.heldSinceMs(named.route);
      const began = performance.now();
      const ended = (of: Pick<Answer, 'status' | 'acknowledged'> & Partial<Answer>, resetMs?: number) => {
        const tookMs = performance.now() - began;
        const answer = { ...named, tookMs, ...(heldSinceMs === undefined ? {} : { heldSinceMs }), ...of };
        answers.add(answer);
        choice.ended(answer, resetMs);
      };
      try {
        const isStream = route.events !== undefined;
        const signals = [init.signal ?? [], isStream ? [] : AbortSignal.timeout(requestTimeoutMs)].flat();
        const response = await fetch(`${url}${pathname}${search}`, {
          ...init,
          signal: AbortSignal.any(signals),
        });
        if (isStream && response.ok) {
          ended({ status: response.status, acknowledged: false });
          return response;
        }
        const text = await response.text();
        const { status, headers } = response;
        const answer = parsed(text);
        const header = (name: string) => headers.get(name);
        const fault = faultOfAnswer(route, { status, header, body: answer, sentAtMs: startedAtMs });
        const isGood = response.ok && fault === undefined;
        if (isGood) await record(operation, body, status, answer);
        const seen = { ...detailsOf(answer, headers), ...(fault && { fault }) };
        ended({ status, acknowledged: isGood && isWrite, ...seen }, resetOf(headers));
        return new Response(status === 204 ? null : text, { status, headers });
      } catch (error) {
        // If the caller aborted or closed a stream, the service has not failed, so nothing is recorded.
        if (!init.signal?.aborted) ended({ status: 'cut', acknowledged: false });
        throw error;
      } finally {
        writeEnded?.();
      }
    };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function resetOf(headers: Headers): number | undefined {
  const seconds = headers.get('x-ratelimit-reset');
  return seconds === null ? undefined : Number(seconds) * 1_000;
}

function detailsOf(body: unknown, headers: Headers): Partial<Answer> {
  const { code, retryAfter } = (body ?? {}) as { code?: string; retryAfter?: number };
  const requestId = headers.get('x-request-id');
  return {
    ...(typeof code === 'string' ? { code } : {}),
    ...(typeof retryAfter === 'number' ? { retryAfter } : {}),
    ...(requestId === null ? {} : { requestId }),
  };
}
