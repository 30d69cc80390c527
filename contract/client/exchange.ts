import { startAttempt } from './attempt.js';

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
