import { setTimeout as sleep } from 'node:timers/promises';

const readyTimeoutMs = 30_000;
const pollMs = 10;

/** Waits until the service at this address answers that it is ready: it listens a moment before that. */
export async function untilReady(url: string): Promise<void> {
  const deadline = Date.now() + readyTimeoutMs;
  while (!(await answersOk(`${url}/readyz`))) {
    if (Date.now() > deadline) throw new Error(`The service is not ready after ${readyTimeoutMs / 1000} s.`);
    await sleep(pollMs);
  }
}

async function answersOk(address: string): Promise<boolean> {
  try {
    const answer = await fetch(address, { signal: AbortSignal.timeout(2_000) });
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    // It is not listening yet, or slow: the caller asks again.
    return false;
  }
}
