import { describe, expect, it } from '@jest/globals';
import { rateLimitClasses } from '../../../contract/rate-limits.js';
import { toHex } from '../../../contract/verification/bytes.js';
import { decodePublicKey } from '../../../contract/verification/strkey.js';
import { countStatuses, spread } from '../../fixtures/disputes/attempts.js';
import { disputeOf, falseSignature, type Signer, signer } from '../../fixtures/disputes/dispute-values.js';
import { disputesFixture } from '../../fixtures/disputes/disputes-over-http.js';
import type { TestApp } from '../../support/app.js';

const fixture = disputesFixture();
/** The points of disputes per key. */
const { points: limit, windowSeconds } = rateLimitClasses.dispute;

let keys = 0;
function freshSigner(): Signer {
  keys += 1;
  return signer(`key ${keys}`);
}

type Answer = Awaited<ReturnType<typeof fixture.file>>;

async function fileNew(
  owner: Signer,
  options: { address?: string; instance?: TestApp; hex?: boolean } = {},
): Promise<Answer> {
  const { hex = false, ...rest } = options;
  const body = disputeOf(await fixture.add(owner, 'settled'), owner);
  const publicKey = hex ? toHex(decodePublicKey(owner.account)) : body.publicKey;
  for (;;) {
    const answer = await fixture.file({ ...body, publicKey }, rest);
    // A busy machine may be too slow for the database, as a client would be told: it sends the dispute again.
    if (answer.status !== 503) return answer;
  }
}

const remaining = ({ headers }: Answer) => headers.get('x-ratelimit-remaining');

/** Windows of attempts end by the time of the machine, which does not advance with the fixture's clock. */
function expectRefused({ status, headers, body }: Answer): void {
  expect(status).toBe(429);
  const retryAfter = Number(headers.get('retry-after'));
  expect(retryAfter).toBeGreaterThan(windowSeconds - 120);
  expect(retryAfter).toBeLessThanOrEqual(windowSeconds);
  expect(body).toEqual({ code: 'RATE_LIMITED', message: expect.any(String), retryAfter });
  expect(headers.get('x-ratelimit-limit')).toBe(String(limit));
  expect(headers.get('x-ratelimit-remaining')).toBe('0');
  const resetInSeconds = Number(headers.get('x-ratelimit-reset')) - fixture.now() / 1_000;
  expect(Math.abs(resetInSeconds - retryAfter)).toBeLessThan(10);
}

describe('one dispute of a key beyond its limit within 24 hours', () => {
  it('is refused to every client, on every instance, and however the key is spelled; a day later there are ten again', async () => {
    const owner = freshSigner();
    const other = await fixture.startAnother();
    const address = '198.51.100.1';
    for (let left = limit - 1; left >= 0; left -= 1) {
      const answer = await fileNew(owner, [{ address }, { hex: true }, { instance: other }][left % 3]);
      expect([answer.status < 300, remaining(answer)]).toEqual([true, String(left)]);
    }
    for (const options of [{ address }, { hex: true }, { instance: other, hex: true }])
      expectRefused(await fileNew(owner, options));
    fixture.pass(windowSeconds * 1_000);
    const answer = await fileNew(owner);
    expect([answer.status, remaining(answer)]).toEqual([201, String(limit - 1)]);
  });

  it('is refused with nothing left where several arrive at once for the last point', async () => {
    const owner = freshSigner();
    for (let filed = 0; filed < limit - 1; filed += 1) await fileNew(owner);
    const answers = await spread(6, 6, (index) => fileNew(owner, { address: `198.51.100.${20 + index}` }));
    expect(answers.filter(({ status }) => status < 300)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status === 429)) expectRefused(answer);
  });
});

describe('attempts with a key', () => {
  it('are ten from an address, whatever becomes of them', async () => {
    const owner = freshSigner();
    const attempt = () =>
      fixture.file(disputeOf({ _id: 'ab'.repeat(32), anchorId: 'harbour' }, owner), {
        address: '198.51.100.2',
      });
    for (let tries = 0; tries < limit; tries += 1) expect((await attempt()).status).toBe(404);
    expectRefused(await attempt());
  });

  it.each([
    ['bad signatures', 'settled', falseSignature, 403],
    ['a captured dispute that was filed', 'settled', undefined, 200],
    ['a captured dispute that could not be filed yet', null, undefined, 409],
  ] as const)(
    'of strangers at fifty addresses with %s take nothing from its owner',
    async (what, ending, signature, status) => {
      const owner = freshSigner();
      const good = disputeOf(await fixture.add(owner, ending), owner);
      const filed = status === 200 ? (await fixture.file(good)).status : undefined;
      expect(filed).toBe(status === 200 ? 201 : undefined);
      const sent = signature === undefined ? good : { ...good, signature };
      const answers = await spread(50, 10, (index) =>
        fixture.file(sent, { address: `198.18.${what.length}.${index}` }),
      );
      expect(countStatuses(answers)).toEqual({ [status]: 50 });
      expect(remaining(await fileNew(owner))).toBe(String(status === 200 ? limit - 2 : limit - 1));
    },
  );
});
