import { setTimeout as sleep } from 'node:timers/promises';

const readyTimeoutMs = 30_000;
const pollMs = 10;

/** Waits until the service at this address answers that it is ready: it listens a moment before that. */
export async function untilReady(url: string): Promise<void> {
  const deadline = Date.now() + readyTimeoutMs;
  while (!(await isReady(url))) {
    if (Date.now() > deadline) throw new Error(`The service is not ready after ${readyTimeoutMs / 1000} s.`);
    await sleep(pollMs);
  }
}

/** Whether the service at this address says now that it is ready. */
export async function isReady(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) });
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    // It is not listening yet, or slow: the caller retries.
    return false;
  }
}
