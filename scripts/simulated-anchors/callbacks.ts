import type { Keypair } from '@stellar/stellar-base';
import { parseUrl } from '../../contract/anchor-documents/values.js';
import type { Clock } from '../../server/ports.js';

const timeoutMs = 5_000;
/** Then a callback is dropped, like the Anchor Platform does. */
const maxTries = 3;

interface Callback {
  url: URL;
  body: string;
  tries: number;
}

/** The URL, if a callback may go there: http or https on loopback, which is all a simulated anchor calls. */
export function loopbackUrl(text: string): URL | null {
  const url = parseUrl(text);
  const isLoopback = url !== null && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
  return isLoopback && ['http:', 'https:'].includes(url.protocol) ? url : null;
}

/** The `Signature` value of SEP-24: `t=…, s=…` over `<t>.<host of the receiver>.<body>`, t in seconds. */
export function callbackSignature(key: Keypair, epochMs: number, host: string, body: string): string {
  const seconds = Math.floor(epochMs / 1000);
  return `t=${seconds}, s=${key.sign(Buffer.from(`${seconds}.${host}.${body}`)).toString('base64')}`;
}

/** The status callbacks of one anchor, kept in memory. `header` names `Signature`, or its deprecated name. */
export function createCallbacks(deps: { clock: Clock; key: Keypair; header(): string }) {
  const { clock, key, header } = deps;
  const queue: Callback[] = [];
  let running: Promise<void> | null = null;
  const counts = { delivered: 0, dropped: 0 };

  async function isAccepted({ url, body }: Callback): Promise<boolean> {
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
      return response.ok;
    } catch {
      // No answer, or too slow: it is tried again, and the receiver polls as well.
      return false;
    }
  }

  async function sendAll(): Promise<void> {
    for (const callback of queue.splice(0)) {
      callback.tries += 1;
      if (await isAccepted(callback)) counts.delivered += 1;
      else if (callback.tries === maxTries) counts.dropped += 1;
      else queue.push(callback);
    }
  }

  return {
    enqueue(text: string, body: string): void {
      const url = loopbackUrl(text);
      if (url === null) counts.dropped += 1;
      else queue.push({ url, body, tries: 0 });
    },
    /** Sends everything, one after another. */
    deliver(): Promise<void> {
      running ??= sendAll().finally(() => {
        running = null;
      });
      return running;
    },
    counts: () => ({ ...counts, pending: queue.length }),
  };
}
