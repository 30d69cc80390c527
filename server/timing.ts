import type { Random } from './ports.js';

/**
 * The result of the work, or the error from `late` if it takes longer; the work itself is not stopped. A result that arrived
 * while this process was busy is not late: timers run before what has arrived is read, so that is read first.
 */
export async function withTimeout<T>(timeoutMs: number, work: Promise<T>, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const expiry = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => setImmediate(() => reject(late())), timeoutMs);
  });
  try {
    return await Promise.race([work, expiry]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The outcome of some work or, if that comes first, the signal's reason. The work then continues unobserved, so it must
 * heed the signal too, or be bounded; if it fails later, that is not an unhandled rejection.
 */
export async function untilAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  let stop = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

export interface BackoffPolicy {
  baseMs: number;
  factor: number;
  maxMs: number;
  /** Share of the delay by which it varies both ways: 0.2 is ±20 %. */
  jitter: number;
}

/** The delay before attempt `attempt + 1`, `attempt` counted from 1. */
export function backoffMs(attempt: number, policy: BackoffPolicy, random: Random): number {
  const plain = Math.min(policy.maxMs, policy.baseMs * policy.factor ** (attempt - 1));
  return Math.round(plain * (1 + policy.jitter * (2 * random() - 1)));
}
