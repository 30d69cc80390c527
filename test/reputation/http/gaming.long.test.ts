import { beforeAll, describe, expect, it } from '@jest/globals';
import type { AnchorReputation, RefreshAnswer } from '../../../contract/schemas/reputation.js';
import type { ScoreCard } from '../../../contract/schemas/score-card.js';
import { day, intentsFixture, minute, second } from '../../fixtures/intents/intents-over-http.js';
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
});
