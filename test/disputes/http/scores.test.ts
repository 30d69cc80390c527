import { describe, expect, it } from '@jest/globals';
import type { AnchorReputation, RefreshAnswer } from '../../../contract/schemas/reputation.js';
import { anchorSigner, disputeOf, freshSigner, outcomes } from '../../fixtures/disputes/dispute-values.js';
import { disputesFixture } from '../../fixtures/disputes/disputes-over-http.js';
import { type TestApp, testCronSecret } from '../../support/app.js';

const fixture = await disputesFixture();

let clients = 0;

/** Adds an outcome of an account of its own, so that each one is a separate account-day. */
async function add(ending: keyof typeof outcomes, daysAgo = 0) {
  const owner = freshSigner();
  const recordedAt = new Date(fixture.now() - daysAgo * 86_400_000);
  const outcome = { ...outcomes[ending], recordedAt };
  return { owner, intent: await fixture.add(owner, ending, { outcome }) };
}

async function dispute(ending: keyof typeof outcomes): Promise<string> {
  const { owner, intent } = await add(ending);
  const byAnchor = ending === 'failed' || ending === 'refunded';
  const { body } = await fixture.file(disputeOf(intent, byAnchor ? anchorSigner('harbour') : owner));
  return body.id;
}

describe('an accepted dispute', () => {
  it('changes how the outcome counts; an open or rejected one does not', async () => {
    for (let n = 0; n < 36; n += 1) await add('settled', n % 7);
    const against = {
      settled: await dispute('settled'),
      expired: await dispute('expired'),
      failed: await dispute('failed'),
      refunded: await dispute('refunded'),
    };
    const rejected = await dispute('settled');
    const before = await refreshed();
    expect(before).toMatchObject({ outcomes: 40, filled: 38, acceptedDisputes: 0 });
    await fixture.resolve({ id: rejected, action: 'reject' });
    expect(await refreshed()).toEqual({ ...before, days: 0 });

    let card = before;
    for (const [id, change] of [
      // It counted as filled, and counts as not filled now.
      [against.settled, { outcomes: 0, filled: -1 }],
      // It did not count, and counts as not filled now.
      [against.expired, { outcomes: 1, filled: 0 }],
      // It counted as not filled, and counts as filled now.
      [against.failed, { outcomes: 0, filled: 1 }],
      // It counted as not filled, and does not count now.
      [against.refunded, { outcomes: -1, filled: 0 }],
    ] as const) {
      const { body } = await fixture.resolve({ id, action: 'accept' });
      expect(body.status).toBe('accepted');
      const after = await refreshed();
      expect(after).toMatchObject({
        days: 1,
        outcomes: card.outcomes + change.outcomes,
        filled: card.filled + change.filled,
        acceptedDisputes: card.acceptedDisputes + 1,
      });
      expect(after.score).not.toBe(card.score);
      await fixture.resolve({ id, action: 'accept' });
      expect(await refreshed()).toEqual({ ...after, days: 0 });
      card = after;
    }
  });

  it('changes the scores once when two admins decide at once on two instances', async () => {
    const other = await fixture.startAnother();
    const ids = [];
    for (let n = 0; n < 8; n += 1) ids.push(await dispute('settled'));
    const before = await refreshed();
    let accepted = 0;
    for (const id of ids) {
      const answers = await Promise.all([
        fixture.resolve({ id, action: 'accept', actor: 'ada' }),
        fixture.resolve({ id, action: 'reject', actor: 'bob' }, other),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
      const lost = answers.find(({ status }) => status === 409);
      expect(lost?.body.code).toBe('DISPUTE_RESOLVED');
      if (answers[0]?.status === 200) accepted += 1;
    }
    await Promise.all([refreshed(), refreshed(other)]);
    const after = await refreshed();
    expect(after).toEqual({
      days: 0,
      outcomes: before.outcomes,
      filled: before.filled - accepted,
      acceptedDisputes: before.acceptedDisputes + accepted,
      score: accepted === 0 ? before.score : expect.not.stringMatching(`^${before.score}$`),
    });
  });
});

function client() {
  clients += 1;
  return { 'x-forwarded-for': `198.19.0.${clients}` };
}

async function refreshed(instance: TestApp = fixture.app) {
  const headers = { authorization: `Bearer ${testCronSecret}`, ...client() };
  const path = '/api/reputation/refresh';
  const { body } = await instance.client.request<RefreshAnswer>('POST', path, { headers });
  const card = await instance.client.request<AnchorReputation>('GET', '/api/reputation/harbour', {
    headers: client(),
  });
  const { outcomes: counted, filled, acceptedDisputes, score } = card.body;
  return { days: body.days, outcomes: counted, filled, acceptedDisputes, score };
}
