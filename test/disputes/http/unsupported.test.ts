import { describe, expect, it } from '@jest/globals';
import type { AdminDispute } from '../../../contract/schemas/disputes.js';
import { nothingObserved } from '../../../server/features/intents/transition/settle-time.rules.js';
import { disputeOf, signer } from '../../fixtures/disputes/dispute-values.js';
import { disputesFixture } from '../../fixtures/disputes/disputes-over-http.js';

const fixture = disputesFixture();

let owners = 0;
/** A dispute of an expired intent, with a key of its own; unsupported unless `seen` says that there was a record. */
async function dispute(options: { anchorId?: string; seen?: boolean } = {}) {
  const { anchorId = 'harbour', seen = false } = options;
  owners += 1;
  const owner = signer(`owner ${owners}`);
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

const windows = () => fixture.app.connection.collection<{ _id: string }>('dispute_windows');
const forget = () => windows().deleteMany({ _id: /^unsupported / });
const useUp = (anchorId: string, used: number) =>
  windows().updateOne({ _id: `unsupported anchor ${anchorId}` }, { $set: { used } });

async function listAll(query: Record<string, string>): Promise<AdminDispute[]> {
  const items: AdminDispute[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const { body } = await fixture.list({ ...query, ...(cursor === undefined ? {} : { cursor }) });
    items.push(...body.items);
    cursor = body.nextCursor;
  }
  return items;
}
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
    const keys = bodies.map(({ publicKey }) => `key ${publicKey}`);
    expect(await windows().countDocuments({ _id: { $in: keys } })).toBe(3);
    // Neither a dispute of a transaction that the anchor showed nor another address is limited by it.
    expect((await fileAtLast(await dispute({ seen: true }), { address })).status).toBe(201);
    expect((await fileAtLast(await dispute())).status).toBe(201);
  });

  it('show what is left to the address, and may be filed again a day later', async () => {
    const address = '2001:db8::1';
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
    fixture.pass(86_400_000);
    expect((await fileAtLast(await dispute(), { address })).status).toBe(201);
  });

  it('are 200 against an anchor, from whatever address', async () => {
    await forget();
    await filed();
    await useUp('harbour', 199);
    await filed();
    const refused = await fileAtLast(await dispute());
    expect([refused.status, refused.headers.get('x-ratelimit-limit')]).toEqual([429, '200']);
    await filed({ anchorId: 'squall' });
    await filed({ seen: true });
    await forget();
  });

  it('stand behind all others in the list of the admin, in every filter and page', async () => {
    const before = idsOf(await listAll({ status: 'open' }));
    const supported = [await filed({ seen: true })];
    const unsupported = [await filed()];
    supported.unshift(await filed({ seen: true }));
    unsupported.unshift(await filed());
    const all = await listAll({ status: 'open', limit: '1' });
    const firstPart = all.filter(({ support }) => support === 'supported');
    expect(all.map(({ support }) => support)).toEqual([
      ...firstPart.map(() => 'supported'),
      ...all.slice(firstPart.length).map(() => 'unsupported'),
    ]);
    expect(idsOf(firstPart).slice(0, 2)).toEqual(supported);
    expect(idsOf(all.slice(firstPart.length)).slice(0, 2)).toEqual(unsupported);
    expect(all).toHaveLength(before.length + 4);
    for (const limit of ['2', '3', '100']) {
      expect(idsOf(await listAll({ status: 'open', limit }))).toEqual(idsOf(all));
      expect(idsOf(await listAll({ limit }))).toEqual(idsOf(all));
      expect(idsOf(await listAll({ support: 'supported', limit }))).toEqual(idsOf(firstPart));
      expect(idsOf(await listAll({ support: 'unsupported', limit }))).toEqual(
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
