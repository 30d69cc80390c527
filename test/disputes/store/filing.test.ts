import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { anchorSigner, disputeOf, falseSignature, signer } from '../../fixtures/disputes/dispute-values.js';
import {
  concurrently,
  countResults,
  type DisputesFixture,
  freshClient,
  openDisputes,
} from '../../fixtures/disputes/disputes-fixture.js';
import { testDatabase } from '../../support/database.js';

const database = testDatabase();
const ada = signer('ada');
const day = 86_400_000;

let nowMs = Date.now();
let meanwhile: (intentHash: string) => Promise<void> = async () => {};
let one: DisputesFixture;
let two: DisputesFixture;

beforeAll(async () => {
  one = await openDisputes(database.uri, { now: () => nowMs, onFound: (hash) => meanwhile(hash) });
  two = await openDisputes(database.uri, { now: () => nowMs });
});
afterAll(async () => {
  await one.close();
  await two.close();
});

/** Counts the keys, so that each signer is new. */
let keys = 0;
function freshSigner() {
  keys += 1;
  return signer(`key ${keys}`);
}

describe('the same dispute sent fifty times concurrently', () => {
  it('is recorded once, with one event and one point, and answers every request with it', async () => {
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
    expect((await one.windows.findOne({ _id: `key ${owner.account}` }))?.used).toBe(1);
  });
});

describe('bad signatures', () => {
  it('of one client are verified ten times in all, however many arrive at once on two instances', async () => {
    const [intent] = await one.addIntents(ada, 1);
    if (intent === undefined) throw new Error('no intent');
    const body = { ...disputeOf(intent, ada), signature: falseSignature };
    const client = freshClient();
    // The number of requests that the client's own limit lets through to the feature.
    const answers = await concurrently(120, (index) => (index % 2 === 0 ? one : two).file(body, client));
    expect(countResults(answers)).toEqual({ INVALID_SIGNATURE: 10, RATE_LIMITED: 110 });
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
    expect((await one.windows.findOne({ _id: `key ${owner.account}` }))?.used).toBe(10);
  });

  it('stay ten while the eleventh is sent again and again, and still answer 200', async () => {
    const owner = freshSigner();
    const intents = await one.addIntents(owner, 11);
    const bodies = intents.map((intent) => disputeOf(intent, owner));
    const [first, eleventh] = [bodies[0], bodies[10]];
    if (first === undefined || eleventh === undefined) throw new Error('no intents');
    for (const body of bodies.slice(0, 10)) {
      expect((await one.file(body, freshClient())).result).toBe('created');
    }
    for (let tries = 0; tries < 5; tries += 1) {
      expect(await two.file(eleventh, freshClient())).toEqual({ result: 'RATE_LIMITED', left: 0 });
    }
    expect(await two.file(first, freshClient())).toEqual({ result: 'known', left: 0 });
    const [pending] = await one.addIntents(owner, 1, null);
    if (pending === undefined) throw new Error('no intent');
    expect((await one.file(disputeOf(pending, owner), freshClient())).result).toBe('RATE_LIMITED');
    nowMs += day - 1_000;
    expect((await one.file(eleventh, freshClient())).result).toBe('RATE_LIMITED');
    nowMs += 1_000;
    expect(await one.file(eleventh, freshClient())).toEqual({ result: 'created', left: 9 });
  });

  it('are not used up by disputes that are refused after the signature check', async () => {
    const owner = freshSigner();
    const pending = await one.addIntents(owner, 1, null);
    const old = await one.addIntents(owner, 1);
    await one.intents.updateMany(
      { _id: old[0]?._id ?? '' },
      { $set: { 'outcome.recordedAt': new Date(nowMs - 31 * day) } },
    );
    for (const [intent, code] of [
      [pending[0], 'INTENT_UNRESOLVED'],
      [old[0], 'DISPUTE_WINDOW_CLOSED'],
    ] as const) {
      if (intent === undefined) throw new Error('no intent');
      expect(await one.file(disputeOf(intent, owner), freshClient())).toEqual({ result: code, left: 10 });
    }
    expect(await one.windows.findOne({ _id: `key ${owner.account}` })).toBe(null);
  });
});

describe('a dispute, its point and its event', () => {
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
    expect(await one.windows.findOne({ _id: `key ${owner.account}` })).toBe(null);
    expect(await one.file(disputeOf(intent, owner), freshClient())).toEqual({ result: 'created', left: 9 });
  });
});

describe('an outcome that changes while the signature is verified', () => {
  it('is refused where the new outcome favours the signer', async () => {
    const anchor = anchorSigner('harbour');
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
      expect((await one.file(disputeOf(failed, anchor), freshClient())).result).toBe('SIGNER_NOT_ENTITLED');
    } finally {
      meanwhile = async () => {};
    }
    expect(await one.disputes.countDocuments({ intentHash: { $in: [pending._id, failed._id] } })).toBe(0);
  });
});

describe('the two parties of an intent', () => {
  it('cannot both have an open dispute, in whatever order they file', async () => {
    const anchor = anchorSigner('harbour');
    const [intent] = await one.addIntents(ada, 1, 'failed');
    if (intent === undefined) throw new Error('no intent');
    expect((await one.file(disputeOf(intent, anchor), freshClient())).result).toBe('created');
    const settled = {
      status: 'settled' as const,
      'outcome.kind': 'settled' as const,
      recoveredAt: new Date(nowMs),
    };
    await one.intents.updateOne({ _id: intent._id }, { $set: settled });
    expect((await one.file(disputeOf(intent, ada), freshClient())).result).toBe('DISPUTE_EXISTS');
    const filed = await one.disputes.findOne({ intentHash: intent._id });
    if (filed === null) throw new Error('no dispute');
    await expect(
      one.disputes.insertOne({ ...filed, _id: 'dsp_another', filedBy: 'account', publicKey: ada.account }),
    ).rejects.toMatchObject({ code: 11000 });
    await one.review.resolve({ id: filed._id, action: 'reject' });
    expect((await one.file(disputeOf(intent, ada), freshClient())).result).toBe('created');
  });
});
