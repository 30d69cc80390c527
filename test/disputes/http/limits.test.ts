import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { rateLimitClasses } from '../../../contract/rate-limits.js';
import { toHex } from '../../../contract/verification/bytes.js';
import { decodePublicKey } from '../../../contract/verification/strkey.js';
import {
  disputeOf,
  falseSignature,
  type Signer,
  signer,
  storedIntent,
} from '../../fixtures/disputes/dispute-values.js';
import { disputesFixture } from '../../fixtures/disputes/disputes-over-http.js';
import { countVerifications } from '../../fixtures/disputes/verifications.js';
import type { TestApp } from '../../support/app.js';

const fixture = disputesFixture();
/** Of disputes per key. */
const { points: limit, windowSeconds } = rateLimitClasses.dispute;
/** Of requests per client and minute. */
const clientLimit = rateLimitClasses.default.points;

let keys = 0;
function freshSigner(): Signer {
  keys += 1;
  return signer(`key ${keys}`);
}

let addresses = 0;
/** Of a client whose limits are unused, also where a test is tried once more. */
function newAddress(): string {
  addresses += 1;
  return `192.0.2.${addresses}`;
}

type Answer = Awaited<ReturnType<typeof fixture.file>>;

async function fileNew(owner: Signer, options: { address?: string; instance?: TestApp; hex?: boolean } = {}) {
  const { hex = false, ...rest } = options;
  const body = disputeOf(await fixture.add(owner, 'settled'), owner);
  const publicKey = hex ? toHex(decodePublicKey(owner.account)) : body.publicKey;
  return fixture.file({ ...body, publicKey }, rest);
}

/** Attempts are counted by MongoDB's time, which does not pass with the fixture's. */
function expectRefused({ status, headers, body }: Answer, now = fixture.now()): void {
  expect(status).toBe(429);
  const retryAfter = Number(headers.get('retry-after'));
  expect(retryAfter).toBeGreaterThan(windowSeconds - 120);
  expect(retryAfter).toBeLessThanOrEqual(windowSeconds);
  expect(body).toEqual({ code: 'RATE_LIMITED', message: expect.any(String), retryAfter });
  expect(headers.get('x-ratelimit-limit')).toBe(String(limit));
  expect(headers.get('x-ratelimit-remaining')).toBe('0');
  const resetInSeconds = Number(headers.get('x-ratelimit-reset')) - now / 1_000;
  expect(Math.abs(resetInSeconds - retryAfter)).toBeLessThan(10);
}

function countStatuses(answers: readonly Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** Runs `work` for 0 to count - 1, so many at a time. */
async function spread<T>(count: number, atOnce: number, work: (index: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const run = async () => {
    for (let index = next++; index < count; index = next++) results.push(await work(index));
  };
  await Promise.all(Array.from({ length: atOnce }, run));
  return results;
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

  it('is refused even for an unknown intent', async () => {
    const owner = freshSigner();
    const address = '198.51.100.2';
    const attempt = () => fixture.file(disputeOf(storedIntent(owner.account, null), owner), { address });
    for (let tries = 0; tries < limit; tries += 1) expect((await attempt()).status).toBe(404);
    expectRefused(await attempt(), Date.now());
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
  it('causes no more verifications than the limit with a thousand bad signatures at once', async () => {
    const owner = freshSigner();
    const intent = await fixture.add(owner, 'settled');
    const bad = { ...disputeOf(intent, owner), signature: falseSignature };
    const verifications = countVerifications();
    const answers = await spread(1_000, 1_000, () => fixture.file(bad, { address: '198.51.100.4' }));
    const verified = verifications.count();
    verifications.stop();
    const counts = countStatuses(answers);
    // 403 is the answer of the verifier; what is not asked of it is 429, or 503 where the machine is too slow.
    expect(verified).toBe(counts[403] ?? 0);
    expect(verified).toBeGreaterThan(0);
    expect(verified).toBeLessThanOrEqual(limit);
    expect((counts[403] ?? 0) + (counts[429] ?? 0) + (counts[503] ?? 0)).toBe(1_000);
    expect(counts[429] ?? 0).toBeGreaterThan(900);
  });

  it('causes no more verifications than the limit on two instances, in both spellings of the key', async () => {
    const owner = freshSigner();
    const intent = await fixture.add(owner, 'settled');
    const bad = { ...disputeOf(intent, owner), signature: falseSignature };
    const inHex = { ...bad, publicKey: toHex(decodePublicKey(owner.account)) };
    const second = await fixture.startAnother();
    const verifications = countVerifications();
    const answers = await spread(1_000, 200, (index) =>
      fixture.file(index % 3 === 0 ? inHex : bad, {
        address: '198.51.100.7',
        instance: index % 2 === 0 ? second : fixture.app,
      }),
    );
    const verified = verifications.count();
    verifications.stop();
    await fixture.stop(second);
    expect(verified).toBe(countStatuses(answers)[403] ?? 0);
    expect(verified).toBeGreaterThan(0);
    expect(verified).toBeLessThanOrEqual(limit);
  });

  it('with two thousand new keys is stopped at its own limit, and leaves no more documents than that', async () => {
    const address = newAddress();
    const intent = await fixture.add(freshSigner(), 'settled');
    const body = { ...disputeOf(intent, freshSigner()), signature: falseSignature };
    const windows = fixture.app.connection.collection<{ _id: string }>('limit_windows');
    const countWindows = () => windows.countDocuments({ _id: /^dispute_attempt\|/ });
    const before = await countWindows();
    const startedAt = performance.now();
    const answers = await spread(2_000, 25, () =>
      fixture.file({ ...body, publicKey: randomBytes(32).toString('hex') }, { address }),
    );
    const allowed = clientLimit * (1 + Math.floor((performance.now() - startedAt) / 60_000));
    const counts = countStatuses(answers);
    // What the limit lets through is 403, or 503 where the machine is too slow.
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
