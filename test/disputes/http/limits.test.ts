import { describe, expect, it } from '@jest/globals';
import { rateLimitClasses } from '../../../contract/rate-limits.js';
import { toHex } from '../../../contract/verification/bytes.js';
import { decodePublicKey } from '../../../contract/verification/strkey.js';
import { nothingObserved } from '../../../server/features/intents/transition/settle-time.rules.js';
import {
  disputeOf,
  falseSignature,
  freshSigner,
  type Signer,
} from '../../fixtures/disputes/dispute-values.js';
import { disputesFixture } from '../../fixtures/disputes/disputes-over-http.js';
import type { TestApp } from '../../support/app.js';

const fixture = await disputesFixture();
/** The points of disputes per key. */
const { points: limit, windowSeconds } = rateLimitClasses.dispute;

/** The number of answers with each status. */
function countStatuses(answers: readonly { status: number }[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** Runs `work` for 0 to count - 1, with at most `atOnce` at a time. */
async function spread<T>(count: number, atOnce: number, work: (index: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const run = async () => {
    for (let index = next++; index < count; index = next++) results.push(await work(index));
  };
  await Promise.all(Array.from({ length: atOnce }, run));
  return results;
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
  it('is refused to every client, on every instance, and however the key is spelled', async () => {
    const owner = freshSigner();
    const other = await fixture.startAnother();
    const address = '198.51.100.1';
    for (let left = limit - 1; left >= 0; left -= 1) {
      const answer = await fileNew(owner, [{ address }, { hex: true }, { instance: other }][left % 3]);
      expect([answer.status < 300, remaining(answer)]).toEqual([true, String(left)]);
    }
    for (const options of [{ address }, { hex: true }, { instance: other, hex: true }])
      expectRefused(await fileNew(owner, options));
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

/** A dispute of an expired intent, with a key of its own; unsupported unless `seen` says that there was a record. */
async function dispute(options: { anchorId?: string; seen?: boolean } = {}) {
  const { anchorId = 'harbour', seen = false } = options;
  const owner = freshSigner();
  const observations = seen ? {} : { observations: nothingObserved };
  return disputeOf(await fixture.add(owner, 'expired', { anchorId, ...observations }), owner);
}

/** Repeats the request while the database is too slow for so many at once. */
async function fileAtLast(...sent: Parameters<typeof fixture.file>): ReturnType<typeof fixture.file> {
  const answer = await fixture.file(...sent);
  return answer.status === 503 ? fileAtLast(...sent) : answer;
}

async function filed(options?: Parameters<typeof dispute>[0]): Promise<string> {
  const { status, body } = await fileAtLast(await dispute(options));
  expect(status).toBe(201);
  return body.id;
}

const windows = () => fixture.app.connection.collection<{ key: string; points: number }>('limit_windows');

const idsOf = (items: { id: string }[]) => items.map(({ id }) => id);

describe('disputes of transactions that the anchor never showed', () => {
  it('are three of twenty that come from one address at once, on two instances, and cost a key no point beyond', async () => {
    const second = await fixture.startAnother();
    const address = '198.51.100.1';
    const bodies = [];
    for (let n = 0; n < 20; n += 1) bodies.push(await dispute());
    const answers = await Promise.all(
      bodies.map((body, n) => fileAtLast(body, { address, instance: n % 2 === 0 ? second : fixture.app })),
    );
    await fixture.stop(second);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(17);
    for (const { status, body, headers } of refused) {
      expect([
        status,
        body.code,
        headers.get('x-ratelimit-limit'),
        headers.get('x-ratelimit-remaining'),
      ]).toEqual([429, 'RATE_LIMITED', '3', '0']);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(86_000);
    }
    const keys = bodies.map(({ publicKey }) => `dispute_key|${publicKey}`);
    expect(await windows().countDocuments({ key: { $in: keys } })).toBe(3);
    // Neither a dispute of a transaction that the anchor showed nor another address is limited by it.
    expect((await fileAtLast(await dispute({ seen: true }), { address })).status).toBe(201);
    expect((await fileAtLast(await dispute())).status).toBe(201);
  });

  it('show what is left to the address', async () => {
    const left = [];
    for (let n = 0; n < 4; n += 1) {
      const { headers, status } = await fileAtLast(await dispute(), { address: `2001:db8::${n}` });
      left.push([status, headers.get('x-ratelimit-remaining')]);
    }
    expect(left).toEqual([
      [201, '2'],
      [201, '1'],
      [201, '0'],
      [429, '0'],
    ]);
  });

  it('are 200 against an anchor, from whatever address', async () => {
    const anchorId = 'squall';
    await filed({ anchorId });
    await windows().updateOne({ key: `dispute_anchor|${anchorId}` }, { $set: { points: 199 } });
    await filed({ anchorId });
    const refused = await fileAtLast(await dispute({ anchorId }));
    expect([refused.status, refused.headers.get('x-ratelimit-limit')]).toEqual([429, '200']);
    await filed();
    await filed({ anchorId, seen: true });
  });

  it('stand behind all others in the list of the admin, in every filter and page', async () => {
    const before = idsOf(await fixture.listAll({ status: 'open' }));
    const supported = [await filed({ seen: true })];
    const unsupported = [await filed()];
    supported.unshift(await filed({ seen: true }));
    unsupported.unshift(await filed());
    const all = await fixture.listAll({ status: 'open', limit: '1' });
    const firstPart = all.filter(({ support }) => support === 'supported');
    expect(all.map(({ support }) => support)).toEqual([
      ...firstPart.map(() => 'supported'),
      ...all.slice(firstPart.length).map(() => 'unsupported'),
    ]);
    expect(idsOf(firstPart).slice(0, 2)).toEqual(supported);
    expect(idsOf(all.slice(firstPart.length)).slice(0, 2)).toEqual(unsupported);
    expect(all).toHaveLength(before.length + 4);
    for (const limit of ['2', '3', '100']) {
      expect(idsOf(await fixture.listAll({ status: 'open', limit }))).toEqual(idsOf(all));
      expect(idsOf(await fixture.listAll({ limit }))).toEqual(idsOf(all));
      expect(idsOf(await fixture.listAll({ support: 'supported', limit }))).toEqual(idsOf(firstPart));
      expect(idsOf(await fixture.listAll({ support: 'unsupported', limit }))).toEqual(
        idsOf(all.slice(firstPart.length)),
      );
    }
  });
});

describe('accepting a dispute of a transaction that the anchor never showed', () => {
  it('is 400 without evidence and changes nothing; with it the evidence is kept', async () => {
    const id = await filed();
    const refused = await fixture.resolve({ id, action: 'accept', note: 'I believe them.' });
    expect([refused.status, refused.body.code, refused.body.details?.[0]?.path]).toEqual([
      400,
      'INVALID_REQUEST',
      'body.evidence',
    ]);
    expect((await fixture.get(id)).body).toMatchObject({ status: 'open', audit: [{ action: 'filed' }] });
    const evidence = 'Payment 3389…f1 on the ledger.';
    const accepted = await fixture.resolve({ id, action: 'accept', evidence });
    expect([accepted.status, accepted.body.audit[1]?.evidence]).toEqual([200, evidence]);
    // The same verdict sent again changes nothing, with or without evidence.
    expect((await fixture.resolve({ id, action: 'accept' })).body.audit).toEqual(accepted.body.audit);
  });

  it('is not needed for rejecting it', async () => {
    expect((await fixture.resolve({ id: await filed(), action: 'reject' })).body.status).toBe('rejected');
  });
});
