import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';

export interface Claim {
  /** 64 bytes. */
  signature: Uint8Array;
  message: Uint8Array;
  /** 32 bytes. */
  publicKey: Uint8Array;
}

/** Threads that verify by @noble/ed25519, so that the event loop does not wait for it (docs/adr/0011). */
export interface VerifyThreads {
  /** Rejects where the thread ended before it answered. */
  verify(claim: Claim): Promise<boolean>;
  /** Ends the threads. Claims that they have not answered reject. */
  close(): Promise<void>;
}

interface Thread {
  worker: Worker;
  /** Open claims, in the order in which the thread answers them. */
  asked: { resolve(valid: boolean): void; reject(error: Error): void }[];
  idle: NodeJS.Timeout | undefined;
}

/** More threads would find no work, since the pool verifies this many claims at a time. */
const mostThreads = 4;
/** A thread is ended after this much idle time, which frees its memory of some 10 MB. */
const defaultIdleMs = 30_000;
/** Far more than the tables of the curve take; without a limit, a thread may use as much memory as the process. */
const resourceLimits = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 };
const workerFile = new URL('verify-worker.mjs', import.meta.url);

/** One thread for each core, four at most; each is started when it is needed first. */
export function createVerifyThreads({
  max = Math.min(availableParallelism(), mostThreads),
  idleMs = defaultIdleMs,
} = {}): VerifyThreads {
  const threads = new Set<Thread>();

  function start(): Thread {
    const worker = new Worker(workerFile, { resourceLimits });
    const thread: Thread = { worker, asked: [], idle: undefined };
    worker.on('message', (valid: boolean) => {
      thread.asked.shift()?.resolve(valid);
      if (thread.asked.length > 0) return;
      // An idle thread does not keep the process running.
      worker.unref();
      thread.idle = setTimeout(() => end(thread), idleMs).unref();
    });
    const ended = (error: Error) => {
      threads.delete(thread);
      for (const { reject } of thread.asked.splice(0)) reject(error);
    };
    worker.on('error', ended);
    worker.on('exit', () => ended(new Error('a thread ended before it had verified a signature')));
    threads.add(thread);
    return thread;
  }

  async function end(thread: Thread): Promise<void> {
    threads.delete(thread);
    clearTimeout(thread.idle);
    await thread.worker.terminate();
  }

  /** An idle thread, else a new one, else the one with the fewest open claims. */
  function free(): Thread {
    const [least] = [...threads].sort((a, b) => a.asked.length - b.asked.length);
    return least !== undefined && (least.asked.length === 0 || threads.size >= max) ? least : start();
  }

  return {
    verify: ({ signature, message, publicKey }) =>
      new Promise((resolve, reject) => {
        const thread = free();
        clearTimeout(thread.idle);
        thread.worker.ref();
        thread.asked.push({ resolve, reject });
        // Copied, since a Buffer may be a small part of a pool, and the whole pool would be sent.
        const claim: Claim = {
          signature: Uint8Array.from(signature),
          message: Uint8Array.from(message),
          publicKey: Uint8Array.from(publicKey),
        };
        thread.worker.postMessage(claim);
      }),
    close: async () => void (await Promise.all([...threads].map(end))),
  };
}
