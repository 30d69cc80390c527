/** An answer as it arrived. */
export interface TextAnswer {
  status: number;
  headers: Headers;
  text: string;
}

/** Timers wait no longer than this; Node ends a longer one at once. */
const longestTimerMs = 2 ** 31 - 1;

/**
 * One attempt within its time limit, body included; it ends in time also where `send` takes no notice of signals. The
 * signals are joined by hand because `AbortSignal.any` is too new.
 */
export async function exchange(
  send: typeof globalThis.fetch,
  url: string,
  init: RequestInit,
  timeoutMs: number,
): Promise<TextAnswer> {
  const { signal } = init;
  signal?.throwIfAborted();
  const controller = new AbortController();
  const follow = () => controller.abort(signal?.reason);
  signal?.addEventListener('abort', follow, { once: true });
  const late = () => controller.abort(new DOMException(`no answer within ${timeoutMs} ms`, 'TimeoutError'));
  const timer = setTimeout(late, Math.min(timeoutMs, longestTimerMs));
  const aborted = new Promise<never>((_, reject) => {
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason), { once: true });
  });
  const answered = async () => {
    const response = await send(url, { ...init, signal: controller.signal });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  try {
    return await Promise.race([answered(), aborted]);
  } catch (error) {
    throw controller.signal.aborted ? controller.signal.reason : error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', follow);
  }
}

/** Waits; rejects with the reason of the signal when that aborts. */
export function waitByTimer(waitMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      },
      Math.min(waitMs, longestTimerMs),
    );
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}
