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
  /** Ends the threads. What they have not answered rejects. */
  close(): Promise<void>;
}

interface Thread {
  worker: Worker;
  /** In the order in which the thread answers. */
  asked: { resolve(valid: boolean): void; reject(error: Error): void }[];
  idle: NodeJS.Timeout | undefined;
}

/** More would find no work: the pool verifies as many at a time. */
const mostThreads = 4;
/** Their memory, some 10 MB each, is given back when nothing was verified for so long. */
const defaultIdleMs = 30_000;
/** Far more than the tables of the curve take; without it a thread takes as much memory as the process may. */
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

  /** One that does nothing, or a new one, or the one that has least to do. */
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
        // Copies: a Buffer may be a few bytes of a pool, and all of the pool would be sent.
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
