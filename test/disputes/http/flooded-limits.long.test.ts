import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { rateLimitClasses } from '../../../contract/rate-limits.js';
import { toHex } from '../../../contract/verification/bytes.js';
import { decodePublicKey } from '../../../contract/verification/strkey.js';
import { countStatuses, spread } from '../../fixtures/disputes/attempts.js';
import { disputeOf, falseSignature, type Signer, signer } from '../../fixtures/disputes/dispute-values.js';
import { disputesFixture } from '../../fixtures/disputes/disputes-over-http.js';

const fixture = disputesFixture();
/** The points of disputes per key. */
const { points: limit } = rateLimitClasses.dispute;
/** The points of requests per client and minute. */
const clientLimit = rateLimitClasses.default.points;

let keys = 0;
function freshSigner(): Signer {
  keys += 1;
  return signer(`key ${keys}`);
}

let addresses = 0;
/** The address of a client whose limits are unused, also when a test is retried. */
function newAddress(): string {
  addresses += 1;
  return `192.0.2.${addresses}`;
}

describe('one client', () => {
  it('causes no more verifications than the limit with a thousand bad signatures at once', async () => {
    const owner = freshSigner();
    const intent = await fixture.add(owner, 'settled');
    const bad = { ...disputeOf(intent, owner), signature: falseSignature };
    const answers = await spread(1_000, 1_000, () => fixture.file(bad, { address: '198.51.100.4' }));
    const counts = countStatuses(answers);
    // 403 comes from the verifier; requests that do not reach it get 429, or 503 where the machine is too slow.
    expect(counts[403] ?? 0).toBeGreaterThan(0);
    expect(counts[403] ?? 0).toBeLessThanOrEqual(limit);
    expect((counts[403] ?? 0) + (counts[429] ?? 0) + (counts[503] ?? 0)).toBe(1_000);
    expect(counts[429] ?? 0).toBeGreaterThan(900);
  });

  it('causes no more verifications than the limit on two instances, in both spellings of the key', async () => {
    const owner = freshSigner();
    const intent = await fixture.add(owner, 'settled');
    const bad = { ...disputeOf(intent, owner), signature: falseSignature };
    const inHex = { ...bad, publicKey: toHex(decodePublicKey(owner.account)) };
    const second = await fixture.startAnother();
    const answers = await spread(1_000, 200, (index) =>
      fixture.file(index % 3 === 0 ? inHex : bad, {
        address: '198.51.100.7',
        instance: index % 2 === 0 ? second : fixture.app,
      }),
    );
    await fixture.stop(second);
    const verified = countStatuses(answers)[403] ?? 0;
    expect(verified).toBeGreaterThan(0);
    expect(verified).toBeLessThanOrEqual(limit);
  });

  it('with two thousand new keys is stopped at its own limit, and leaves no more documents than that', async () => {
    const address = newAddress();
    const intent = await fixture.add(freshSigner(), 'settled');
    const body = { ...disputeOf(intent, freshSigner()), signature: falseSignature };
    const windows = fixture.app.connection.collection<{ key: string }>('limit_windows');
    const countWindows = () => windows.countDocuments({ key: /^dispute_attempt\|/ });
    const before = await countWindows();
    const startedAt = performance.now();
    const answers = await spread(2_000, 25, () =>
      fixture.file({ ...body, publicKey: randomBytes(32).toString('hex') }, { address }),
    );
    const allowed = clientLimit * (1 + Math.floor((performance.now() - startedAt) / 60_000));
    const counts = countStatuses(answers);
    // Requests within the limit get 403, or 503 where the machine is too slow.
    const letThrough = (counts[403] ?? 0) + (counts[503] ?? 0);
    expect(letThrough).toBeGreaterThanOrEqual(clientLimit - 5);
    expect(letThrough).toBeLessThanOrEqual(allowed);
    expect(letThrough + (counts[429] ?? 0)).toBe(2_000);
    const left = (await countWindows()) - before;
    expect(left).toBeGreaterThanOrEqual(counts[403] ?? 0);
    expect(left).toBeLessThanOrEqual(allowed);
    for (const { status, headers } of answers) {
      if (status === 429) expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
    }
  }, 180_000);
});
