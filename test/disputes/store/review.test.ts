import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiError } from '../../../server/errors.js';
import { anchorSigner, disputeOf, type outcomes, signer } from '../../fixtures/disputes/dispute-values.js';
import { type DisputesFixture, freshClient, openDisputes } from '../../fixtures/disputes/disputes-fixture.js';
import { testDatabase } from '../../support/database.js';

const database = testDatabase();
let one: DisputesFixture;
let two: DisputesFixture;

beforeAll(async () => {
  one = await openDisputes(database.uri);
  two = await openDisputes(database.uri);
});
afterAll(async () => {
  await one.close();
  await two.close();
});

let owners = 0;

/** A dispute against such an outcome, filed by the party that may. */
async function filed(ending: keyof typeof outcomes) {
  owners += 1;
  const owner = signer(`owner ${owners}`);
  const [intent] = await one.addIntents(owner, 1, ending);
  if (intent === undefined) throw new Error('no intent');
  const party = ending === 'failed' || ending === 'refunded' ? anchorSigner('harbour') : owner;
  expect((await one.file(disputeOf(intent, party), freshClient())).result).toBe('created');
  const dispute = await one.disputes.findOne({ intentHash: intent._id });
  if (dispute === null) throw new Error('no dispute');
  return { id: dispute._id, intentHash: intent._id };
}

async function decide(instance: DisputesFixture, id: string, action: 'accept' | 'reject', actor: string) {
  try {
    const { status } = await instance.review.resolve({ id, action, actor });
    return { actor, status };
  } catch (error) {
    if (error instanceof ApiError) return { actor, status: error.code };
    throw error;
  }
}

const intentOf = (intentHash: string) => one.intents.findOne({ _id: intentHash });
const disputeOfId = (id: string) => one.disputes.findOne({ _id: id });

describe('two admins who decide concurrently on two instances', () => {
  it('records one of two opposite verdicts and refuses the other with DISPUTE_RESOLVED', async () => {
    for (let round = 0; round < 12; round += 1) {
      const { id, intentHash } = await filed('settled');
      const answers = await Promise.all([decide(one, id, 'accept', 'ada'), decide(two, id, 'reject', 'bob')]);
      const [won, ...rest] = answers.filter(({ status }) => status !== 'DISPUTE_RESOLVED');
      expect(rest).toEqual([]);
      if (won === undefined) throw new Error('nobody won');
      const dispute = await disputeOfId(id);
      expect(dispute?.status).toBe(won.status);
      expect(dispute?.audit.map(({ action, actor }) => [action, actor])).toEqual([
        ['filed', expect.any(String)],
        [won.status, won.actor],
      ]);
      const events = await one.eventsOf(intentHash);
      expect(events.map(({ event, data }) => [event, 'status' in data && data.status])).toEqual([
        ['dispute.created', 'open'],
        ['dispute.resolved', won.status],
      ]);
      const effect = won.status === 'accepted' ? 'counts_not_filled' : null;
      expect((await intentOf(intentHash))?.disputeEffect).toBe(effect);
    }
  });

  it('records the same verdict once, answers both with it and keeps the first note', async () => {
    const { id, intentHash } = await filed('expired');
    const answers = await Promise.all(
      [one, two, one, two].map((instance, index) => decide(instance, id, 'accept', `admin ${index}`)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(4).fill('accepted'));
    const dispute = await disputeOfId(id);
    expect(dispute?.audit.map(({ action }) => action)).toEqual(['filed', 'accepted']);
    const again = await one.review.resolve({ id, action: 'accept', actor: 'late', note: 'me too' });
    expect(again.audit).toHaveLength(2);
    expect(await one.eventsOf(intentHash)).toHaveLength(2);
  });
});

describe('accepting', () => {
  it.each([
    ['settled', 'counts_not_filled'],
    ['expired', 'counts_not_filled'],
    ['failed', 'counts_filled'],
    ['refunded', 'not_counted'],
  ] as const)('a dispute against %s sets %s and has its day counted anew', async (ending, effect) => {
    const { id, intentHash } = await filed(ending);
    const before = await one.markedDays();
    const answer = await one.review.resolve({ id, action: 'accept' });
    expect(answer).toMatchObject({
      status: 'accepted',
      effect,
      audit: [{}, { actor: 'admin', note: null }],
    });
    expect(await intentOf(intentHash)).toMatchObject({ disputeEffect: effect });
    expect(await one.markedDays()).toBe(before + 1);
  });

  it('changes nothing if the intent has recovered since the dispute was filed', async () => {
    const { id, intentHash } = await filed('refunded');
    const recovered = { status: 'settled', 'outcome.kind': 'settled' } as const;
    await one.intents.updateOne({ _id: intentHash }, { $set: recovered });
    const before = await one.markedDays();
    await one.review.resolve({ id, action: 'accept' });
    expect(await intentOf(intentHash)).toMatchObject({ disputeEffect: null });
    expect(await one.markedDays()).toBe(before);
  });
});

describe('an account that disputed an expired intent, which then settled', () => {
  it('counts the settlement as not filled when its earlier dispute is accepted', async () => {
    const { id, intentHash } = await filed('expired');
    const settled = { status: 'settled', 'outcome.kind': 'settled', 'outcome.reason': 'completed' } as const;
    await one.intents.updateOne({ _id: intentHash }, { $set: settled });
    expect((await one.review.resolve({ id, action: 'accept' })).effect).toBe('counts_not_filled');
    expect(await intentOf(intentHash)).toMatchObject({ disputeEffect: 'counts_not_filled' });
  });
});

describe('an intent that was taken up again after its account had disputed it', () => {
  it.each(['accept', 'reject'] as const)(
    'keeps its dispute open until it has an outcome, so that the account loses nothing: %s',
    async (action) => {
      const { id, intentHash } = await filed('expired');
      const { outcome } = (await intentOf(intentHash)) ?? {};
      await one.intents.updateOne({ _id: intentHash }, { $set: { status: 'pending', outcome: null } });
      expect(await decide(one, id, action, 'ada')).toEqual({ actor: 'ada', status: 'INTENT_UNRESOLVED' });
      expect(await disputeOfId(id)).toMatchObject({ status: 'open', resolvedAt: null });
      const settled = { ...outcome, kind: 'settled', reason: 'completed' };
      await one.intents.updateOne(
        { _id: intentHash },
        { $set: { status: 'settled', outcome: settled } as never },
      );
      expect((await one.review.resolve({ id, action: 'accept' })).effect).toBe('counts_not_filled');
    },
  );
});

describe('rejecting', () => {
  it('changes nothing of the intent but its version, by which its followers notice the decision', async () => {
    const { id, intentHash } = await filed('settled');
    const before = await intentOf(intentHash);
    await one.review.resolve({ id, action: 'reject', note: 'The receipt is genuine.' });
    expect(await intentOf(intentHash)).toEqual({ ...before, version: (before?.version ?? 0) + 1 });
  });
});

describe('a verdict, its effect and its event', () => {
  it('are recorded together or not at all', async () => {
    const failing = await openDisputes(database.uri, {
      changes: () => ({
        writeEvent: async () => {
          throw new Error('the outbox is gone');
        },
      }),
    });
    const { id, intentHash } = await filed('settled');
    await expect(failing.review.resolve({ id, action: 'accept' })).rejects.toThrow('the outbox is gone');
    await failing.close();
    expect((await disputeOfId(id))?.status).toBe('open');
    expect((await intentOf(intentHash))?.disputeEffect).toBe(null);
  });
});
