// The thread's side of verify-threads.ts. JavaScript, since no loader of TypeScript serves threads (privatenumber/tsx#354).
import { createHash } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import { hashes, verify } from '@noble/ed25519';

hashes.sha512 = (message) => createHash('sha512').update(message).digest();

/** One answer for each claim, in the order in which they arrive. Without ZIP-215, as contract/verification/ed25519.ts. */
parentPort?.on('message', ({ signature, message, publicKey }) => {
  parentPort?.postMessage(verify(signature, message, publicKey, { zip215: false }));
});
