import { beforeAll, describe, expect, it } from '@jest/globals';
import type { IntentAnswer } from '../../../contract/schemas/intents.js';
import { givenUpAfterPolls } from '../../../server/features/intents/transition/transition.rules.js';
import { clientHash } from '../../../server/http/client-key.js';
import { day, hour, intentsFixture, minute } from '../../fixtures/intents/intents-over-http.js';
import { insertIntents } from '../../fixtures/intents/stored-intents.js';
import { waitingIntent } from '../../fixtures/intents/waiting-intents.js';

const fixture = await intentsFixture({ anchors: ['harbour'] });

/** The ids that the anchor was asked for so far: each poll asks both of its servers, of which this counts one. */
function polled(): string[] {
  return fixture.anchors
    .anchor('harbour')
    .seen.flatMap(({ url }) => /^\/sep24\/transaction\?id=(.+)$/.exec(url)?.slice(1) ?? []);
}
const asked = (id: string) => polled().filter((each) => each === id).length;

function register(anchorTransactionId: string, address: string) {
  const headers = { 'x-forwarded-for': address };
  const body = fixture.terms({ anchorTransactionId });
  return fixture.app.client.request<IntentAnswer>('POST', '/api/intent/offramp', { headers, body });
}

describe('an id that the anchor does not know', () => {
  const ids = ['never-heard-of', 'presented-again', 'claimed', 'called-back', 'unreadable', 'too-late'];
  const intents = new Map<string, { terms: Record<string, unknown>; intentHash: string }>();

  /** The intent with this id, on which the service has given up, and its number of polls so far. */
  function givenUp(id: string) {
    const intent = intents.get(id);
    if (intent === undefined) throw new Error(`no intent of ${id}`);
    return { ...intent, before: asked(id) };
  }
  const transactionOf = async (intentHash: string) => (await fixture.read(intentHash)).transaction;

  /** Sends a callback of the anchor. */
  async function tell(intentHash: string, transaction: object): Promise<unknown> {
    const body = JSON.stringify({ transaction });
    return (await fixture.callBack(intentHash, body, fixture.signed(body))).body;
  }

  beforeAll(async () => {
    for (const id of ids) {
      const terms = fixture.terms({ anchorTransactionId: id });
      intents.set(id, { terms, intentHash: (await fixture.post(terms)).body.intentHash });
    }
    await fixture.settle();
    // One intent takes every poll until it is given up, the others only the last one.
    const others = { transactionId: { $in: ids.slice(1) } };
    const almost = { unknownPolls: givenUpAfterPolls - 1, due: new Date(fixture.now()) };
    await fixture.documents().updateMany(others, { $set: almost });
    for (let hours = 0; hours < 12; hours += 1) {
      await fixture.settle();
      await fixture.pass(hour);
    }
  });

  it(`is given up after ${givenUpAfterPolls} looks, and keeps its problem`, async () => {
    const { intentHash } = givenUp('never-heard-of');
    await fixture.settle();
    expect(asked('never-heard-of')).toBe(givenUpAfterPolls);
    expect((await transactionOf(intentHash))?.problem).toBe('unknown_to_anchor');
  });

  it('is looked at again at once when the wallet presents it again', async () => {
    const { terms, intentHash, before } = givenUp('presented-again');
    for (let times = 0; times < 2; times += 1) {
      await fixture.post(terms);
      await fixture.settle();
      expect(asked('presented-again')).toBe(before + 1);
    }
    expect((await transactionOf(intentHash))?.problem).toBe('unknown_to_anchor');
  });

  it('passes to another intent that presents it, and is looked at again at once', async () => {
    const { intentHash, before } = givenUp('claimed');
    expect((await fixture.post(fixture.terms({ anchorTransactionId: 'claimed' }))).status).toBe(201);
    expect((await transactionOf(intentHash))?.problem).toBe('passed_to_another');
    await fixture.settle();
    expect(asked('claimed')).toBe(before + 1);
  });

  it('is followed again from a callback of the anchor on, which is applied at once', async () => {
    const { intentHash, before } = givenUp('called-back');
    const told = { id: 'called-back', kind: 'withdrawal', status: 'pending_user_transfer_start' };
    expect(await tell(intentHash, told)).toMatchObject({ applied: true });
    expect(await transactionOf(intentHash)).toMatchObject({ status: told.status, problem: null });
    await fixture.watch(20 * minute);
    expect(asked('called-back')).toBeGreaterThan(before);
  });

  it('is looked at again at once after a callback that cannot be read as its record', async () => {
    const { intentHash, before } = givenUp('unreadable');
    await tell(intentHash, {});
    await fixture.settle();
    expect(asked('unreadable')).toBe(before + 1);
  });

  it('ends a day after its deadline, without another look, and leaves by a TTL 31 days later', async () => {
    const { intentHash, before } = givenUp('too-late');
    const bare = (await fixture.post(fixture.terms())).body.intentHash;
    await fixture.watch(2 * day);
    expect((await fixture.read(intentHash)).outcome).toMatchObject({ reason: 'never_funded' });
    expect(asked('too-late')).toBe(before);
    const keptDays = async (hash: string) => {
      const stored = await fixture.documents().findOne({ _id: hash as never });
      return Math.round((stored?.removeAt.getTime() - fixture.now()) / day);
    };
    expect([await keptDays(bare), await keptDays(intentHash)]).toEqual([3, 31]);
    const ttl = expect.objectContaining({ key: { removeAt: 1 }, expireAfterSeconds: 0 });
    expect(await fixture.documents().indexes()).toContainEqual(ttl);
  });
});

it('polls twenty invented transactions of an address at a time, and another address beside them', async () => {
  const address = '198.51.100.7';
  const invented = Array.from({ length: 18 }, (_, index) =>
    waitingIntent({ id: `invented-${index}`, nowMs: fixture.now(), address }),
  );
  await insertIntents(fixture.app.connection, ...invented);
  for (const id of ['known-1', 'known-2', 'known-3', 'known-4'])
    expect((await register(id, address)).status).toBe(201);
  const states = () => fixture.documents().distinct('transactionId', { poll: 'waiting' });
  expect(await states()).toEqual(['known-3', 'known-4']);
  expect((await register('honest', '198.51.100.8')).status).toBe(201);
  await fixture.reconcile();
  expect(polled()).toContain('honest');
  expect(polled()).not.toContain('known-3');

  // Two of the invented ones are given up, so that two places are free.
  const givenUp = { client: clientHash(address), transactionId: /^invented-[01]$/ };
  await fixture.documents().updateMany(givenUp, { $set: { poll: 'never', unknownPolls: 10 } });
  await fixture.settle();
  expect(await states()).toEqual([]);
  expect(polled()).toEqual(expect.arrayContaining(['known-3', 'known-4']));
});
