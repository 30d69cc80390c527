import { afterAll, describe, expect, it } from '@jest/globals';
import {
  ada,
  disputeOf,
  freshSigner,
  harbour,
  type outcomes,
} from '../../fixtures/disputes/dispute-values.js';
import { testDatabase } from '../../support/database.js';
import { concurrently, countResults, freshClient, openDisputes } from './disputes-fixture.js';

const database = testDatabase();
const nowMs = Date.now();
let meanwhile: (intentHash: string) => Promise<void> = async () => {};

const one = await openDisputes(database.uri, { now: () => nowMs, onFound: (hash) => meanwhile(hash) });
const two = await openDisputes(database.uri, { now: () => nowMs });
afterAll(async () => {
  await one.close();
  await two.close();
});

describe('the same dispute sent fifty times concurrently', () => {
  it('is recorded once, with one event, and answers every request with it', async () => {
    const owner = freshSigner();
    const [intent] = await one.addIntents(owner, 1);
    if (intent === undefined) throw new Error('no intent');
    const body = disputeOf(intent, owner);
    const answers = await concurrently(50, (index) =>
      (index % 2 === 0 ? one : two).fileUntilReady(body, freshClient()),
    );
    expect(countResults(answers)).toEqual({ created: 1, known: 49 });
    expect(await one.disputes.countDocuments({ intentHash: intent._id })).toBe(1);
    expect(await one.eventsOf(intent._id)).toEqual([
      {
        event: 'dispute.created',
        data: expect.objectContaining({ intentHash: intent._id, anchorId: 'harbour', status: 'open' }),
      },
    ]);
  });
});

describe('the ten disputes of a key', () => {
  it('stay ten, however many arrive at once, from any client and on any instance', async () => {
    const owner = freshSigner();
    const intents = await one.addIntents(owner, 30);
    const answers = await Promise.all(
      intents.map((intent, index) =>
        (index % 2 === 0 ? one : two).fileUntilReady(disputeOf(intent, owner), freshClient()),
      ),
    );
    expect(countResults(answers)).toEqual({ created: 10, RATE_LIMITED: 20 });
    expect(await one.disputes.countDocuments({ publicKey: owner.account })).toBe(10);
    const events = await Promise.all(intents.map(({ _id }) => one.eventsOf(_id)));
    expect(events.flat()).toHaveLength(10);
  });
});

describe('a dispute and its event', () => {
  it('are recorded together or not at all', async () => {
    const failing = await openDisputes(database.uri, {
      now: () => nowMs,
      changes: () => ({
        writeEvent: async () => {
          throw new Error('the outbox is gone');
        },
      }),
    });
    const owner = freshSigner();
    const [intent] = await one.addIntents(owner, 1);
    if (intent === undefined) throw new Error('no intent');
    await expect(failing.file(disputeOf(intent, owner), freshClient())).rejects.toThrow('the outbox is gone');
    await failing.close();
    expect(await one.disputes.countDocuments({ intentHash: intent._id })).toBe(0);
    expect((await one.file(disputeOf(intent, owner), freshClient())).result).toBe('created');
  });
});

describe('an outcome that changes while the signature is verified', () => {
  it('is refused where the new outcome favours the signer', async () => {
    const [pending] = await one.addIntents(ada, 1, null);
    const [failed] = await one.addIntents(ada, 1, 'failed');
    if (pending === undefined || failed === undefined) throw new Error('no intents');
    meanwhile = async (hash) => {
      const kind = hash === pending._id ? ('failed' as const) : ('settled' as const);
      const outcome = {
        kind,
        reason: 'error' as const,
        recordedAt: new Date(nowMs),
        settleSeconds: 1,
        timesKnown: false,
        shortfallPpb: null,
        amountOut: null,
        evidence: 'anchor' as const,
      };
      await two.intents.updateOne({ _id: hash }, { $set: { outcome, status: kind } });
    };
    try {
      expect((await one.file(disputeOf(pending, ada), freshClient())).result).toBe('SIGNER_NOT_ENTITLED');
      expect((await one.file(disputeOf(failed, harbour), freshClient())).result).toBe('SIGNER_NOT_ENTITLED');
    } finally {
      meanwhile = async () => {};
    }
    expect(await one.disputes.countDocuments({ intentHash: { $in: [pending._id, failed._id] } })).toBe(0);
  });
});

/** A dispute against such an outcome, filed by the party that may. */
async function filed(ending: keyof typeof outcomes) {
  const owner = freshSigner();
  const [intent] = await one.addIntents(owner, 1, ending);
  if (intent === undefined) throw new Error('no intent');
  const party = ending === 'failed' || ending === 'refunded' ? harbour : owner;
  expect((await one.file(disputeOf(intent, party), freshClient())).result).toBe('created');
  const dispute = await one.disputes.findOne({ intentHash: intent._id });
  if (dispute === null) throw new Error('no dispute');
  return { id: dispute._id, intentHash: intent._id };
}

const intentOf = (intentHash: string) => one.intents.findOne({ _id: intentHash });
const disputeOfId = (id: string) => one.disputes.findOne({ _id: id });

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
      await expect(one.review.resolve({ id, action })).rejects.toMatchObject({ code: 'INTENT_UNRESOLVED' });
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
