import { describe, expect, it } from '@jest/globals';
import { rateLimitClasses } from '../../../contract/rate-limits.js';
import { toHex } from '../../../contract/verification/bytes.js';
import { decodePublicKey } from '../../../contract/verification/strkey.js';
import { countStatuses, spread } from '../../fixtures/disputes/attempts.js';
import {
  disputeOf,
  falseSignature,
  type Signer,
  signer,
  storedIntent,
} from '../../fixtures/disputes/dispute-values.js';
import { disputesFixture } from '../../fixtures/disputes/disputes-over-http.js';
import type { TestApp } from '../../support/app.js';

const fixture = disputesFixture();
/** The points of disputes per key. */
const { points: limit, windowSeconds } = rateLimitClasses.dispute;
/** The points of requests per client and minute. */
const clientLimit = rateLimitClasses.default.points;

let keys = 0;
function freshSigner(): Signer {
  keys += 1;
  return signer(`key ${keys}`);
}

type Answer = Awaited<ReturnType<typeof fixture.file>>;

async function fileNew(owner: Signer, options: { address?: string; instance?: TestApp; hex?: boolean } = {}) {
  const { hex = false, ...rest } = options;
  const body = disputeOf(await fixture.add(owner, 'settled'), owner);
  const publicKey = hex ? toHex(decodePublicKey(owner.account)) : body.publicKey;
  return fixture.file({ ...body, publicKey }, rest);
}

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
  it('is refused to the client that filed the others, with a wait of up to a day', async () => {
    const owner = freshSigner();
    const address = '198.51.100.1';
    for (let left = limit - 1; left >= 0; left -= 1) {
      const { status, headers } = await fileNew(owner, { address });
      expect([status, headers.get('x-ratelimit-limit')]).toEqual([201, String(limit)]);
      expect(headers.get('x-ratelimit-remaining')).toBe(String(left));
    }
    expectRefused(await fileNew(owner, { address }));
  });

  it('is refused to every client, on every instance, after a restart, and however the key is spelled', async () => {
    const owner = freshSigner();
    let other = await fixture.startAnother();
    for (let filed = 0; filed < limit - 1; filed += 1) {
      const options = filed % 2 === 0 ? { hex: true } : { instance: other };
      expect((await fileNew(owner, options)).status).toBe(201);
    }
    await fixture.stop(other);
    other = await fixture.startAnother();
    expect((await fileNew(owner, { instance: other })).status).toBe(201);
    for (const options of [{}, { hex: true }, { instance: other }, { instance: other, hex: true }]) {
      expectRefused(await fileNew(owner, options));
    }
    fixture.pass(windowSeconds * 1_000);
    const { status, headers } = await fileNew(owner);
    expect([status, headers.get('x-ratelimit-remaining')]).toEqual([201, String(limit - 1)]);
  });

  it('is refused with nothing left where several arrive at once for the last point', async () => {
    const owner = freshSigner();
    for (let filed = 0; filed < limit - 1; filed += 1) await fileNew(owner);
    const answers = await spread(6, 6, (index) => fileNew(owner, { address: `198.51.100.${20 + index}` }));
    expect(countStatuses(answers)).toEqual({ 201: 1, 429: 5 });
    for (const answer of answers.filter(({ status }) => status === 429)) expectRefused(answer);
  });

  it('is refused even for an unknown intent', async () => {
    const owner = freshSigner();
    const address = '198.51.100.2';
    const attempt = () => fixture.file(disputeOf(storedIntent(owner.account, null), owner), { address });
    for (let tries = 0; tries < limit; tries += 1) expect((await attempt()).status).toBe(404);
    expectRefused(await attempt());
  });
});

describe('a stranger to the key', () => {
  it("cannot use up the owner's limit with bad signatures from fifty addresses", async () => {
    const owner = freshSigner();
    const intent = await fixture.add(owner, 'settled');
    const bad = { ...disputeOf(intent, owner), signature: falseSignature };
    const answers = await spread(50, 10, (index) => fixture.file(bad, { address: `198.18.1.${index}` }));
    expect(countStatuses(answers)).toEqual({ 403: 50 });
    const address = '198.51.100.3';
    const own = [];
    for (let filed = 0; filed < limit; filed += 1) own.push(await fileNew(owner, { address }));
    expect(countStatuses(own)).toEqual({ 201: limit });
    expect(own[0]?.headers.get('x-ratelimit-remaining')).toBe(String(limit - 1));
  });

  it("cannot use up the owner's limit by resending a captured dispute from fifty addresses", async () => {
    const owner = freshSigner();
    const captured = disputeOf(await fixture.add(owner, 'settled'), owner);
    expect((await fixture.file(captured)).status).toBe(201);
    const answers = await spread(50, 10, (index) => fixture.file(captured, { address: `198.18.2.${index}` }));
    expect(countStatuses(answers)).toEqual({ 200: 50 });
    const own = [];
    for (let filed = 0; filed < limit - 1; filed += 1) own.push(await fileNew(owner));
    expect(countStatuses(own)).toEqual({ 201: limit - 1 });
    expectRefused(await fileNew(owner));
  });

  it("cannot use up the owner's limit with a captured dispute that could not be filed yet", async () => {
    const owner = freshSigner();
    const captured = disputeOf(await fixture.add(owner, null), owner);
    const answers = await spread(50, 10, (index) => fixture.file(captured, { address: `198.18.3.${index}` }));
    expect(countStatuses(answers)).toEqual({ 409: 50 });
    expect((await fileNew(owner)).headers.get('x-ratelimit-remaining')).toBe(String(limit - 1));
  });
});

describe('one client', () => {
  it('gets the headers of the limit with the least remaining', async () => {
    const address = '198.51.100.6';
    const shown = async () => {
      const { headers } = await fixture.file(
        disputeOf(storedIntent(freshSigner().account, null), freshSigner()),
        { address },
      );
      return [headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')];
    };
    expect(await shown()).toEqual([String(limit), String(limit - 1)]);
    for (let requests = 1; requests < clientLimit - limit; requests += 1) await shown();
    expect(await shown()).toEqual([String(limit), String(limit - 1)]);
    expect(await shown()).toEqual([String(clientLimit), String(limit - 2)]);
  });
});
