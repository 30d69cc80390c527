import { beforeAll, describe, expect, it } from '@jest/globals';
import type { StatusCallbackAnswer } from '../../../contract/schemas/intents.js';
import type { AnchorReputation, RefreshAnswer } from '../../../contract/schemas/reputation.js';
import type { ScoreCard } from '../../../contract/schemas/score-card.js';
import { account, day, intentsFixture, minute, second } from '../../fixtures/intents/intents-over-http.js';
import { failed, settled, storeOutcomes, withOutcome } from '../../fixtures/reputation/stored-outcomes.js';
import { testCronSecret } from '../../support/app.js';

/** Attempts from outside, through the public API alone, to change the score of an anchor that has one. */
const fixture = intentsFixture({ anchors: ['harbour'], min: '1' });
let clients = 0;

function fromAnotherClient(): Record<string, string> {
  clients += 1;
  return { 'x-forwarded-for': `198.18.${clients >> 8}.${clients & 255}` };
}

async function card(): Promise<ScoreCard | undefined> {
  const { status } = await fixture.app.client.request<RefreshAnswer>('POST', '/api/reputation/refresh', {
    headers: { authorization: `Bearer ${testCronSecret}`, ...fromAnotherClient() },
  });
  expect(status).toBe(200);
  const { body } = await fixture.app.client.request<AnchorReputation>(
    'GET',
    '/api/reputation/harbour?window=90',
    { headers: fromAnotherClient() },
  );
  return body.corridors.find(({ corridor }) => corridor === 'usdc-ngn');
}

/** Sends many requests, a few dozen at the same time. */
async function inCrowds<T>(count: number, send: (index: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let from = 0; from < count; from += 50) {
    const crowd = Array.from({ length: Math.min(50, count - from) }, (_, index) => send(from + index));
    results.push(...(await Promise.all(crowd)));
  }
  return results;
}

/** Sends a callback of the anchor about a withdrawal with that id. */
async function tell(intentHash: string, id: string, told: Record<string, unknown>): Promise<boolean> {
  const body = JSON.stringify({ transaction: { id, kind: 'withdrawal', ...told } });
  const { host } = new URL(fixture.app.config.publicUrl);
  const signature = fixture.anchors.anchor('harbour').signCallback(host, body);
  const headers = { 'content-type': 'application/json', signature, ...fromAnotherClient() };
  const path = `/api/intent/${intentHash}/status`;
  return (await fixture.app.client.request<StatusCallbackAnswer>('POST', path, { headers, body })).body
    .applied;
}

/** Announces withdrawals of one account, then has each seen, paid and completed; resolves to the number completed. */
async function settleMany(count: number, sellAmount: string): Promise<number> {
  const ids = Array.from({ length: count }, (_, index) => `of-${sellAmount}-${index}`);
  const hashes = await inCrowds(count, async (index) => {
    const terms = fixture.terms({ account, sellAmount, anchorTransactionId: ids[index] ?? '' });
    return (await fixture.post(terms)).body.intentHash;
  });
  const payout = { amount_in: sellAmount, amount_out: '14000', stellar_transaction_id: 'ab' };
  for (const told of [
    { status: 'pending_user_transfer_start' },
    { ...payout, status: 'pending_external' },
    { ...payout, status: 'completed' },
  ]) {
    await fixture.pass(30 * second);
    await inCrowds(count, (index) => tell(hashes[index] ?? '', ids[index] ?? '', told));
  }
  const done = { account, sellAmount, status: 'settled', unscoredReason: null };
  return fixture.documents().countDocuments(done);
}

/** Pays withdrawals and lets them complete, with reconciliations frequent enough to measure the times. */
async function payAndWatch(ids: readonly string[], minutes: number): Promise<void> {
  for (const id of ids) fixture.anchors.anchor('harbour').pay(id, { ending: 'complete' });
  for (let passed = 0; passed < minutes; passed += 1) {
    await fixture.pass(minute);
    await fixture.settle();
  }
}

beforeAll(async () => {
  const record = Array.from({ length: 80 }, (_, index) => {
    const recordedAt = new Date(fixture.now() - (index % 7) * day);
    return withOutcome({
      _id: index.toString(16).padStart(64, '0'),
      account: `G${index}`,
      outcome: index % 10 === 0 ? failed({ recordedAt }) : settled({ recordedAt }),
    });
  });
  await storeOutcomes(fixture.app.connection, record);
});

describe('no score moves', () => {
  it('after 1,000 withdrawals that are announced and abandoned', async () => {
    const before = await card();
    expect(before).toMatchObject({ outcomes: 80, filled: 72, state: 'scored' });
    const answers = await inCrowds(1_000, () => fixture.post(fixture.terms()));
    expect(answers.every(({ status }) => status === 201)).toBe(true);
    await fixture.pass(3 * day);
    for (let runs = 0; runs < 10; runs += 1) await fixture.settle();
    expect(await fixture.documents().countDocuments({ status: 'expired' })).toBe(1_000);
    expect(await card()).toEqual(before);
  }, 90_000);

  it('after 500 settled dust withdrawals of one account in a day', async () => {
    const before = await card();
    expect(await settleMany(500, '9.99')).toBe(500);
    expect(await card()).toEqual(before);
  }, 90_000);

  it('after successful withdrawals that are announced only afterwards', async () => {
    const before = await card();
    const ids: string[] = [];
    for (let begun = 0; begun < 20; begun += 1) ids.push(await fixture.begin('harbour'));
    await fixture.pass(30 * second);
    await payAndWatch(ids, 6);
    await inCrowds(ids.length, (index) =>
      fixture.post(fixture.terms({ anchorTransactionId: ids[index] ?? '' })),
    );
    await fixture.pass(minute);
    await fixture.settle();
    const unscored = { status: 'settled', unscoredReason: { $ne: null } };
    expect(await fixture.documents().countDocuments(unscored)).toBe(20);
    expect(await card()).toEqual(before);
  }, 60_000);
});

describe('a score moves by no more than the rules allow', () => {
  it('counts one outcome for one withdrawal that 1,000 intents claim', async () => {
    const before = await card();
    const claims = await inCrowds(1_000, () => {
      const terms = fixture.terms();
      return fixture.post(terms).then(() => terms);
    });
    const id = await fixture.begin('harbour');
    const answers = await inCrowds(claims.length, (index) =>
      fixture.post({ ...claims[index], anchorTransactionId: id }),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 409)).toHaveLength(999);
    await fixture.pass(30 * second);
    await fixture.reconcile();
    await payAndWatch([id], 8);
    await fixture.pass(3 * day);
    for (let runs = 0; runs < 10; runs += 1) await fixture.settle();
    const after = await card();
    expect(after?.outcomes).toBe((before?.outcomes ?? 0) + 1);
    expect(after?.filled).toBe((before?.filled ?? 0) + 1);
  }, 90_000);

  it('counts three outcomes and one account-day for 100 real withdrawals of one account in a day', async () => {
    const before = await card();
    expect(await settleMany(100, '11')).toBe(100);
    const after = await card();
    expect(after?.outcomes).toBe((before?.outcomes ?? 0) + 3);
    expect(after?.accountDays).toBe((before?.accountDays ?? 0) + 1);
  }, 60_000);
});
