import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import { utf8 } from '../../../contract/verification/bytes.js';
import { publicKeyOf, signEd25519 } from '../../../contract/verification/ed25519.js';
import { createVerifyThreads, type VerifyThreads } from '../../../server/signatures/verify-threads.js';
import { waitFor } from '../../support/wait-for.js';

const seed = randomBytes(32);
const publicKey = publicKeyOf(seed);
const opened: VerifyThreads[] = [];

function open(options?: Parameters<typeof createVerifyThreads>[0]) {
  const threads = createVerifyThreads(options);
  opened.push(threads);
  return threads;
}
afterEach(async () => {
  await Promise.all(opened.splice(0).map((threads) => threads.close()));
});

const claimOf = (text: string) => ({
  signature: signEd25519(utf8(text), seed),
  message: utf8(text),
  publicKey,
});

/** The threads of this process, idle ones included. */
function runningThreads(): number {
  const report = process.report?.getReport() as { workers?: unknown[] } | undefined;
  if (report?.workers === undefined) throw new Error('the report of this process does not list its threads');
  return report.workers.length;
}

describe('verifyThreads', () => {
  it('answers each of many claims at once with its own result, whichever thread has it', async () => {
    const threads = open({ max: 2 });
    const claims = Array.from({ length: 30 }, (_, index) => ({
      ...claimOf(`claim ${index}`),
      ...(index % 3 === 0 ? { message: utf8('another') } : {}),
    }));
    const results = await Promise.all(claims.map((claim) => threads.verify(claim)));
    expect(results).toEqual(claims.map((_, index) => index % 3 !== 0));
  });

  it('verifies claims that are views into a larger buffer', async () => {
    const { signature, message } = claimOf('a view');
    const pool = Buffer.concat([randomBytes(7), signature, message, publicKey, randomBytes(9)]);
    const at = (from: number, length: number) => pool.subarray(from, from + length);
    const claim = {
      signature: at(7, 64),
      message: at(71, message.length),
      publicKey: at(71 + message.length, 32),
    };
    expect(await open().verify(claim)).toBe(true);
  });

  it('starts no thread before the first claim, and ends them when there was none for a while', async () => {
    const before = runningThreads();
    const threads = open({ max: 1, idleMs: 500 });
    expect(runningThreads()).toBe(before);
    expect(await threads.verify(claimOf('first'))).toBe(true);
    expect(runningThreads()).toBe(before + 1);
    await waitFor(() => expect(runningThreads()).toBe(before));
    expect(await threads.verify(claimOf('second'))).toBe(true);
  });

  it('rejects what it has not answered when it is closed, rather than call it false', async () => {
    const threads = open({ max: 1 });
    const asked = Promise.allSettled(
      Array.from({ length: 5 }, (_, index) => threads.verify(claimOf(`${index}`))),
    );
    await threads.close();
    for (const result of await asked) {
      expect(result).toMatchObject({ status: 'rejected', reason: { message: /^a thread ended/ } });
    }
  });

  it('goes on in a new thread after one that ended by itself', async () => {
    const threads = open({ max: 1 });
    const poisoned = { ...claimOf('x'), publicKey: new Uint8Array(31) };
    await expect(threads.verify(poisoned)).rejects.toThrow();
    expect(await threads.verify(claimOf('after it'))).toBe(true);
  });
});
