/** The longest time of a timer; Node fires a longer one at once. */
const longestTimerMs = 2 ** 31 - 1;

/** One request and the reading of its answer. It ends when its signal aborts. */
export interface Attempt {
  signal: AbortSignal;
  /**
   * Awaits the promise. Rejects with the reason of the signal when that aborts, and aborts it with a `TimeoutError` after
   * `limitMs`. It ends in time even if the awaited operation ignores signals.
   */
  within<T>(limitMs: number, waitedFor: Promise<T>): Promise<T>;
  /** Ends the attempt, and its connection if that is still open. */
  end(): void;
}

/** An attempt that ends with the caller's signal. The two are joined by hand because `AbortSignal.any` is too new. */
export function startAttempt(caller: AbortSignal | null | undefined): Attempt {
  caller?.throwIfAborted();
  const controller = new AbortController();
  const { signal } = controller;
  const follow = () => controller.abort(caller?.reason);
  caller?.addEventListener('abort', follow, { once: true });
  return {
    signal,
    async within(limitMs, waitedFor) {
      const late = () => controller.abort(new DOMException(`no answer within ${limitMs} ms`, 'TimeoutError'));
      const timer = setTimeout(late, Math.min(limitMs, longestTimerMs));
      let stop = () => {};
      try {
        // A race against a promise that lasts as long as the attempt would retain every value that was ever awaited.
        return await new Promise((resolve, reject) => {
          stop = () => reject(signal.reason);
          signal.addEventListener('abort', stop);
          if (signal.aborted) stop();
          waitedFor.then(resolve, reject);
        });
      } catch (error) {
        throw signal.aborted ? signal.reason : error;
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', stop);
      }
    },
    end() {
      caller?.removeEventListener('abort', follow);
      controller.abort();
    },
  };
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

/** An answer as it arrived. */
export interface TextAnswer {
  status: number;
  headers: Headers;
  text: string;
}

/** Makes one attempt within the time limit, reading of the body included. */
export async function exchange(
  send: typeof globalThis.fetch,
  url: string,
  init: RequestInit,
  timeoutMs: number,
): Promise<TextAnswer> {
  const attempt = startAttempt(init.signal);
  const answered = async () => {
    const response = await send(url, { ...init, signal: attempt.signal });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  try {
    return await attempt.within(timeoutMs, answered());
  } finally {
    attempt.end();
  }
}
