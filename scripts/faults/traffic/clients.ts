import { setTimeout as delay } from 'node:timers/promises';
import { createClient as createLightClient } from '../../../contract/client/create-client.js';
import type { Client } from '../../../contract/client/operations/client.js';
import type { Client as OperatorClient } from '../../../contract/client/operations/operator/client.js';
import { createClient as createOperatorClient } from '../../../contract/client/validating/create-client.js';
import { addressIn } from '../../lib/addresses.js';
import type { Credentials } from '../ports.js';
import { anyOfThem, type ChoiceDeps, type InstanceChoice, oneOfThem } from './instance-choice.js';
import { anyInstance } from './instance-fetch.js';

/** The typed clients of the traffic. Each has its own address, so that limits do not interfere; other tests cover them. */
export interface Clients {
  /** A client of a wallet or of a reader. */
  next(): Client;
  /** A client of a reader that stays with one instance. */
  nextStaying(): Client;
  /** A client of the operator, with the admin key and the bearer credential. */
  operator(): OperatorClient;
}

export function createClients(deps: {
  fetchOf: (choice: InstanceChoice) => typeof fetch;
  choice: ChoiceDeps;
  credentials: Credentials;
}): Clients {
  const { fetchOf, credentials } = deps;
  let addresses = 0;

  function options(choose = anyOfThem) {
    addresses += 1;
    return {
      fetch: fetchOf(choose(deps.choice)),
      retry: false as const,
      headers: { 'x-forwarded-for': addressIn(10, addresses) },
    };
  }

  return {
    next: () => createLightClient(anyInstance, options()),
    nextStaying: () => createLightClient(anyInstance, options(oneOfThem)),
    operator: () => createOperatorClient(anyInstance, { ...options(), ...credentials }),
  };
}

const firstWaitMs = 100;
const longestWaitMs = 2_000;

/**
 * The answer of a call that may be repeated, asked for until there is one: as a correct client does, it sends the same
 * again after a broken connection, and after a 429 or a 5xx when `retryAfter` is over.
 */
export async function retryUntilAnswered<A extends { status: number; body: unknown }>(
  call: () => Promise<A>,
  signal: AbortSignal,
): Promise<A> {
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
    signal.throwIfAborted();
    const answer = await call().catch((error: unknown) => {
      if (error instanceof Error && isNoAnswer(error)) return undefined;
      throw error;
    });
    if (answer !== undefined && answer.status < 500 && answer.status !== 429) return answer;
    const { retryAfter } = (answer?.body ?? {}) as { retryAfter?: number };
    await delay(retryAfter === undefined ? waitMs : retryAfter * 1_000, undefined, { signal });
  }
}

/** A `fetch` rejects with a TypeError where the connection breaks; a form of answer that nobody knows is a finding already. */
function isNoAnswer({ name }: Error): boolean {
  return name === 'TypeError' || name === 'TimeoutError' || name === 'UnexpectedAnswerError';
}
