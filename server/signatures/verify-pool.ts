import pLimit from 'p-limit';
import { isSmallOrder } from '../../contract/verification/strkey.js';
import { assertLengths, openSslKey, verifyWithOpenSsl } from '../crypto/ed25519.js';
import { ApiError } from '../errors.js';
import { disputeForms } from './dispute-forms.js';
import { type Claim, createVerifyThreads, type VerifyThreads } from './verify-threads.js';

interface SignedIntentHash {
  /** 64 bytes. */
  signature: Uint8Array;
  /** 32 bytes. */
  publicKey: Uint8Array;
  /** 64 lower-case hex digits. */
  intentHash: string;
}

/**
 * Two verifiers of Ed25519, both of which must accept. OpenSSL checks the equation without the cofactor but accepts
 * small-order and non-canonical keys; @noble/ed25519 (zip215: false) refuses those but checks with the cofactor.
 * Together they accept what RFC 8032 meant, and nothing that libraries disagree on (eprint 2020/1244). OpenSSL goes
 * first: it takes a fifteenth of the time (0.06 ms against 0.9 ms), so a bad signature is cheap.
 *
 * Both verify methods resolve to whether both verifiers accept. They reject with Ed25519InputError on wrong lengths, and
 * with ApiError NOT_READY when the queue is full or the pool is closed.
 */
export interface VerifyPool {
  /** A signature over exactly this message. */
  verifyMessage(signed: Claim): Promise<boolean>;
  /** A dispute's signature, over any one of the three messages of `disputeForms`. */
  verifyDispute(signed: SignedIntentHash): Promise<boolean>;
  /** Accepts no more, refuses what waits, and resolves when the last running verification is done. */
  close(): Promise<void>;
}

interface VerifyPoolOptions {
  /** How many run concurrently; by default as many as libuv has threads, which fills four cores. */
  concurrency?: number;
  /** How many may wait beyond those. */
  maxQueued?: number;
  /** The second verifier, asked only about what the first accepted. */
  threads?: VerifyThreads;
}

/** The default of UV_THREADPOOL_SIZE. A verification takes 0.06 ms, so lookups of names and files wait little. */
const libuvThreads = 4;

/**
 * Verification that leaves the event loop free. OpenSSL runs in libuv's threads: a false dispute costs the event loop
 * three dispatches (measured: under 0.1 ms of 0.3 ms in all) and ends there. Only a signature that OpenSSL accepted goes
 * to the second verifier, in threads of our own (docs/adr/0011).
 */
export function createVerifyPool({
  concurrency = libuvThreads,
  maxQueued = 1_024,
  threads = createVerifyThreads(),
}: VerifyPoolOptions = {}): VerifyPool {
  const limit = pLimit(concurrency);
  const open = new Set<Promise<unknown>>();
  let closed = false;

  async function acceptedByBoth(
    signature: Uint8Array,
    forms: readonly Uint8Array[],
    publicKey: Uint8Array,
  ): Promise<boolean> {
    if (closed) throw notReady();
    const key = openSslKey(publicKey);
    for (const message of forms) {
      const first = await verifyWithOpenSsl(signature, message, key);
      if (first && (await threads.verify({ signature, message, publicKey }))) return true;
    }
    return false;
  }

  async function enqueue(
    signature: Uint8Array,
    forms: readonly Uint8Array[],
    publicKey: Uint8Array,
  ): Promise<boolean> {
    assertLengths(signature, publicKey);
    if (isSmallOrder(publicKey)) return false;
    if (closed || open.size >= concurrency + maxQueued) throw notReady();
    const task = limit(() => acceptedByBoth(signature, forms, publicKey));
    open.add(task);
    try {
      return await task;
    } finally {
      open.delete(task);
    }
  }

  return {
    verifyMessage: ({ signature, message, publicKey }) => enqueue(signature, [message], publicKey),
    verifyDispute: async ({ signature, publicKey, intentHash }) =>
      enqueue(signature, disputeForms(intentHash), publicKey),
    async close() {
      closed = true;
      await Promise.allSettled(open);
      await threads.close();
    },
  };
}

function notReady(): ApiError {
  return new ApiError('NOT_READY', 'Too many signatures wait to be verified; try again shortly.', {
    retryAfter: 1,
  });
}
