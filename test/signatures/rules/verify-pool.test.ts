import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { fromHex, utf8 } from '../../../contract/verification/bytes.js';
import { publicKeyOf, signEd25519, verifyEd25519 } from '../../../contract/verification/ed25519.js';
import { Ed25519InputError } from '../../../server/crypto/ed25519.js';
import { disputeForms } from '../../../server/signatures/dispute-forms.js';
import { createVerifyPool } from '../../../server/signatures/verify-pool.js';
import type { VerifyThreads } from '../../../server/signatures/verify-threads.js';
import { expectFor } from '../../support/expect-for.js';
import speccheck from '../../vectors/speccheck.json' with { type: 'json' };

const intentHash = '0123456789abcdef'.repeat(4);
const seed = randomBytes(32);
const publicKey = publicKeyOf(seed);
const genuine = signEd25519(disputeForms(intentHash)[0], seed);
const falseSignature = genuine.map((byte, index) => (index === 40 ? byte ^ 1 : byte));

/** The second verifier, which runs on the event loop and calls `verify` with each claim. */
function secondVerifier(verify: (...claim: Parameters<typeof verifyEd25519>) => boolean): VerifyThreads {
  return {
    verify: async ({ signature, message, publicKey }) => verify(signature, message, publicKey),
    close: async () => undefined,
  };
}

describe('verify', () => {
  it.each(['SEP-53', 'text', 'raw'].map((form, index) => ({ form, index })))(
    'accepts a signature in the form $form, for this intent hash and key alone',
    async ({ index }) => {
      const pool = createVerifyPool();
      const message = disputeForms(intentHash)[index] ?? new Uint8Array();
      const signature = signEd25519(message, seed);
      expect(await pool.verifyDispute({ signature, publicKey, intentHash })).toBe(true);
      expect(await pool.verifyDispute({ signature, publicKey, intentHash: 'ab'.repeat(32) })).toBe(false);
      expect(
        await pool.verifyDispute({ signature, publicKey: publicKeyOf(randomBytes(32)), intentHash }),
      ).toBe(false);
      await pool.close();
    },
  );

  it('refuses a signature over the intent hash in upper case', async () => {
    const pool = createVerifyPool();
    const upper = signEd25519(utf8(intentHash.toUpperCase()), seed);
    expect(await pool.verifyDispute({ signature: upper, publicKey, intentHash })).toBe(false);
    await pool.close();
  });

  it('refuses a small-order key, and what only one of the verifiers accepts', async () => {
    const pool = createVerifyPool();
    const identity = fromHex(`01${'00'.repeat(31)}`);
    const forged = fromHex(`01${'00'.repeat(63)}`);
    expect(await pool.verifyDispute({ signature: forged, publicKey: identity, intentHash })).toBe(false);
    for (const vector of speccheck.cases) {
      const signed = {
        signature: fromHex(vector.signature),
        message: fromHex(vector.message),
        publicKey: fromHex(vector.publicKey),
      };
      expectFor(`case ${vector.case}`, await pool.verifyMessage(signed)).toBe(vector.both);
    }
    await pool.close();
  });

  it('asks the slow verifier only about what OpenSSL accepted, and requires both to accept', async () => {
    let asked = 0;
    const pool = createVerifyPool({
      threads: secondVerifier((...claim) => {
        asked += 1;
        return verifyEd25519(...claim);
      }),
    });
    const claims = Array.from({ length: 100 }, () =>
      pool.verifyDispute({ signature: falseSignature, publicKey, intentHash }),
    );
    expect(await Promise.all(claims)).not.toContain(true);
    expect(asked).toBe(0);
    expect(await pool.verifyDispute({ signature: genuine, publicKey, intentHash })).toBe(true);
    expect(asked).toBe(1);
    await pool.close();

    const refusing = createVerifyPool({ threads: secondVerifier(() => false) });
    expect(await refusing.verifyDispute({ signature: genuine, publicKey, intentHash })).toBe(false);
    await refusing.close();
  });

  it('rejects input of the wrong form by name', async () => {
    const pool = createVerifyPool();
    const signed = { signature: genuine, publicKey, intentHash };
    await expect(pool.verifyDispute({ ...signed, signature: genuine.slice(1) })).rejects.toThrow(
      Ed25519InputError,
    );
    await expect(pool.verifyDispute({ ...signed, publicKey: publicKey.slice(1) })).rejects.toThrow(
      Ed25519InputError,
    );
    await expect(pool.verifyDispute({ ...signed, intentHash: 'ab' })).rejects.toThrow(RangeError);
    await pool.close();
  });
});

describe('the queue', () => {
  it('refuses what exceeds it with NOT_READY, and accepts again once it has drained', async () => {
    const pool = createVerifyPool({ concurrency: 1, maxQueued: 4 });
    const claims = Array.from({ length: 20 }, () =>
      pool.verifyDispute({ signature: genuine, publicKey, intentHash }),
    );
    const settled = await Promise.allSettled(claims);
    expect(settled.filter((result) => result.status === 'fulfilled' && result.value)).toHaveLength(5);
    for (const result of settled.slice(5)) {
      expect(result).toMatchObject({
        status: 'rejected',
        reason: { code: 'NOT_READY', extras: { retryAfter: 1 } },
      });
    }
    expect(await pool.verifyDispute({ signature: genuine, publicKey, intentHash })).toBe(true);
    await pool.close();
  });

  it.each([
    ['false', falseSignature],
    ['genuine', genuine],
  ])('does not block the event loop while %s signatures keep it full', async (_kind, signature) => {
    const pool = createVerifyPool();
    let running = true;
    let verified = 0;
    const flood = Array.from({ length: 16 }, async () => {
      while (running) {
        await pool.verifyDispute({ signature, publicKey, intentHash });
        verified += 1;
      }
    });
    // If the flood were verified on the event loop, it would run in microtasks, and this turn would never come.
    while (verified < 200) await new Promise((resolve) => setImmediate(resolve));
    running = false;
    await Promise.all(flood);
    expect(verified).toBeGreaterThanOrEqual(200);
    await pool.close();
  });

  it('finishes what runs, and refuses what waits and what arrives after close', async () => {
    let closing: Promise<void> | undefined;
    const pool = createVerifyPool({
      concurrency: 1,
      threads: secondVerifier((...claim) => {
        closing = pool.close();
        return verifyEd25519(...claim);
      }),
    });
    const claims = Array.from({ length: 5 }, () =>
      pool.verifyDispute({ signature: genuine, publicKey, intentHash }),
    );
    const states = (await Promise.allSettled(claims)).map(({ status }) => status);
    expect(states).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected', 'rejected']);
    await closing;
    await expect(pool.verifyDispute({ signature: genuine, publicKey, intentHash })).rejects.toMatchObject({
      code: 'NOT_READY',
    });
  });
});
