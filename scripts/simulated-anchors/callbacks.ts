import type { Clock } from '../../server/ports.js';
import type { SimulatedKey } from './identity.js';

const queueLimit = 2_000;
const timeoutMs = 5_000;
/** The times before the second and the third attempt; then a callback is dropped, like the Anchor Platform does. */
const backoffMs = [2_000, 5_000];
const loopback: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);

interface Callback {
  url: URL;
  body: string;
  tries: number;
  dueMs: number;
}

export interface CallbackCounts {
  delivered: number;
  dropped: number;
  pending: number;
}

export interface Callbacks {
  enqueue(url: string, body: string): void;
  /** Sends everything that is due by the clock, one after another. */
  deliver(): Promise<void>;
  counts(): CallbackCounts;
}

/** The URL, if a callback may go there: http or https on loopback, which is all a simulated anchor calls. */
export function loopbackUrl(text: string): URL | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const web = url.protocol === 'http:' || url.protocol === 'https:';
  return web && loopback.has(url.hostname) ? url : null;
}

/** The `Signature` value of SEP-24: `t=…, s=…` over `<t>.<host of the receiver>.<body>`, t in seconds. */
export function callbackSignature(key: SimulatedKey, epochMs: number, host: string, body: string): string {
  const seconds = Math.floor(epochMs / 1000);
  return `t=${seconds}, s=${key.sign(`${seconds}.${host}.${body}`)}`;
}

/** The status callbacks of one anchor, kept in memory. */
export function createCallbacks(options: {
  clock: Clock;
  key: SimulatedKey;
  /** `Signature`, or its deprecated name. */
  header(): 'Signature' | 'X-Stellar-Signature';
}): Callbacks {
  const { clock, key, header } = options;
  let queue: Callback[] = [];
  let delivered = 0;
  let dropped = 0;
  let sending = 0;
  let running: Promise<void> | null = null;

  async function accepted({ url, body }: Callback): Promise<boolean> {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          [header()]: callbackSignature(key, clock(), url.host, body),
        },
        body,
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      });
      await response.body?.cancel();
      return response.status >= 200 && response.status < 300;
    } catch {
      // No answer, or too slow: it is tried again, and the receiver polls as well.
      return false;
    }
  }

  async function sendDue(): Promise<void> {
    const now = clock();
    const due = queue.filter((each) => each.dueMs <= now);
    queue = queue.filter((each) => each.dueMs > now);
    sending = due.length;
    for (const callback of due) {
      const done = await accepted(callback);
      sending -= 1;
      if (done) {
        delivered += 1;
        continue;
      }
      const waitMs = backoffMs[callback.tries];
      if (waitMs === undefined) dropped += 1;
      else queue.push({ ...callback, tries: callback.tries + 1, dueMs: now + waitMs });
    }
  }

  return {
    enqueue(text, body) {
      const url = loopbackUrl(text);
      if (url === null || queue.length >= queueLimit) dropped += 1;
      else queue.push({ url, body, tries: 0, dueMs: clock() });
    },
    deliver() {
      running ??= sendDue().finally(() => {
        running = null;
      });
      return running;
    },
    counts: () => ({ delivered, dropped, pending: queue.length + sending }),
  };
}
