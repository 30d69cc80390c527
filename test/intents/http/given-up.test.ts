import { beforeAll, describe, expect, it } from '@jest/globals';
import { givenUpAfterPolls } from '../../../server/features/intents/polls/poll-state.rules.js';
import { day, hour, intentsFixture, minute } from '../../fixtures/intents/intents-over-http.js';

const fixture = intentsFixture({ anchors: ['harbour'] });

/** The number of polls of this id: each asks both transfer servers of the anchor, of which this counts one. */
function asked(id: string): number {
  const isLook = (url: string) => url.startsWith('/sep24/transaction?') && url.endsWith(`id=${id}`);
  return fixture.anchors.anchor('harbour').seen.filter(({ url }) => isLook(url)).length;
}

async function problemOf(intentHash: string) {
  return (await fixture.read(intentHash)).transaction?.problem;
}

const ids = [
  'never-heard-of',
  'presented-again',
  'claimed',
  'called-back',
  'unreadable',
  'too-late',
] as const;
const intents = new Map<string, { terms: Record<string, unknown>; intentHash: string }>();

/** The intent with this id, on which the service has given up, and its number of polls so far. */
function givenUp(id: (typeof ids)[number]) {
  const intent = intents.get(id);
  if (intent === undefined) throw new Error(`no intent of ${id}`);
  return { ...intent, before: asked(id) };
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

describe('an id that the anchor does not know', () => {
  it(`is given up after ${givenUpAfterPolls} looks, and keeps its problem`, async () => {
    const { intentHash } = givenUp('never-heard-of');
    await fixture.settle();
    expect(asked('never-heard-of')).toBe(givenUpAfterPolls);
    expect(await problemOf(intentHash)).toBe('unknown_to_anchor');
  });

  it('is looked at again at once when the wallet presents it again', async () => {
    const { terms, intentHash, before } = givenUp('presented-again');
    await fixture.post(terms);
    await fixture.settle();
    expect(asked('presented-again')).toBe(before + 1);
    await fixture.post(terms);
    await fixture.settle();
    expect(asked('presented-again')).toBe(before + 1);
    expect(await problemOf(intentHash)).toBe('unknown_to_anchor');
  });

  it('passes to another intent that presents it, and is looked at again at once', async () => {
    const { intentHash, before } = givenUp('claimed');
    expect((await fixture.post(fixture.terms({ anchorTransactionId: 'claimed' }))).status).toBe(201);
    expect(await problemOf(intentHash)).toBe('passed_to_another');
    await fixture.settle();
    expect(asked('claimed')).toBe(before + 1);
  });

  it('is followed again from a callback of the anchor on, which is applied at once', async () => {
    const { intentHash, before } = givenUp('called-back');
    const told = { id: 'called-back', kind: 'withdrawal', status: 'pending_user_transfer_start' };
    expect(await tell(intentHash, { transaction: told })).toMatchObject({ applied: true });
    expect((await fixture.read(intentHash)).transaction).toMatchObject({
      status: told.status,
      problem: null,
    });
    await fixture.pass(20 * minute);
    await fixture.settle();
    expect(asked('called-back')).toBeGreaterThan(before);
  });

  it('is looked at again at once after a callback that cannot be read as its record', async () => {
    const { intentHash, before } = givenUp('unreadable');
    await tell(intentHash, { transaction: {} });
    await fixture.settle();
    expect(asked('unreadable')).toBe(before + 1);
  });

  it('ends as never_funded a day after its deadline, without another look', async () => {
    const { intentHash, before } = givenUp('too-late');
    await fixture.pass(2 * day);
    await fixture.settle();
    expect((await fixture.read(intentHash)).outcome).toMatchObject({ reason: 'never_funded' });
    expect(asked('too-late')).toBe(before);
  });
});

/** Sends a callback of the anchor. */
async function tell(intentHash: string, told: unknown): Promise<unknown> {
  const body = JSON.stringify(told);
  const { host } = new URL(fixture.app.config.publicUrl);
  const signature = fixture.anchors.anchor('harbour').signCallback(host, body);
  const headers = { 'content-type': 'application/json', signature };
  const path = `/api/intent/${intentHash}/status`;
  return (await fixture.app.client.request('POST', path, { headers, body })).body;
}
