import { describe, expect, it } from '@jest/globals';
import {
  anchorSigner,
  disputeOf,
  freshSigner,
  type outcomes,
} from '../../fixtures/disputes/dispute-values.js';
import { disputesFixture } from '../../fixtures/disputes/disputes-over-http.js';

const fixture = await disputesFixture();
const parties = { harbour: anchorSigner('harbour'), squall: anchorSigner('squall') };

/** A dispute against such an outcome of that anchor, filed by the party that is entitled to it. */
async function filed(ending: keyof typeof outcomes = 'settled', anchorId: keyof typeof parties = 'harbour') {
  const owner = freshSigner();
  const intent = await fixture.add(owner, ending, { anchorId });
  const byAnchor = ending === 'failed' || ending === 'refunded';
  const { status, body } = await fixture.file(disputeOf(intent, byAnchor ? parties[anchorId] : owner));
  expect(status).toBe(201);
  return { ...body, owner };
}

describe('GET 200', () => {
  it('lists disputes newest first with all that a verdict needs, filters them, and loses none between pages', async () => {
    const all = [];
    for (let n = 0; n < 5; n += 1) all.push(await filed('settled', n % 2 === 0 ? 'harbour' : 'squall'));
    const [oldest, second] = all;
    if (oldest === undefined || second === undefined) throw new Error('no disputes');
    await fixture.resolve({ id: oldest.id, action: 'accept', actor: 'ada', note: 'Bank statement seen.' });
    await fixture.resolve({ id: second.id, action: 'reject' });

    const ids = (items: { id: string }[]) => items.map(({ id }) => id);
    const newestFirst = ids(all).reverse();
    for (const limit of ['1', '2', '3', '100'])
      expect(ids(await fixture.listAll({ limit }))).toEqual(newestFirst);
    expect(ids((await fixture.list()).body.items)).toEqual(newestFirst);
    expect(ids(await fixture.listAll({ status: 'open', limit: '1' }))).toEqual(newestFirst.slice(0, 3));
    expect(ids(await fixture.listAll({ status: 'rejected' }))).toEqual([second.id]);
    expect(ids(await fixture.listAll({ anchor: 'squall', limit: '1' }))).toEqual([
      newestFirst[1],
      newestFirst[3],
    ]);
    expect(ids(await fixture.listAll({ anchor: 'squall', status: 'open' }))).toEqual([newestFirst[1]]);

    const [accepted] = await fixture.listAll({ status: 'accepted' });
    const { owner, ...answer } = oldest;
    expect(accepted).toEqual({
      ...answer,
      status: 'accepted',
      resolvedAt: expect.any(String),
      publicKey: owner.account,
      reason: 'The bank says that nothing arrived.',
      outcomeStatus: 'settled',
      support: 'supported',
      effect: 'counts_not_filled',
      audit: [
        { at: oldest.createdAt, action: 'filed', actor: owner.account, note: null, evidence: null },
        {
          at: accepted?.resolvedAt,
          action: 'accepted',
          actor: 'ada',
          note: 'Bank statement seen.',
          evidence: null,
        },
      ],
    });
  });

  it('continues a list at its cursor, whatever is filed and decided meanwhile', async () => {
    const before = (await fixture.listAll({})).map(({ id }) => id);
    const first = (await fixture.list({ limit: '2' })).body;
    await filed();
    const rest = [];
    let cursor = first.nextCursor;
    while (cursor !== null) {
      const { body } = await fixture.list({ limit: '2', cursor });
      rest.push(...body.items);
      cursor = body.nextCursor;
    }
    expect([...first.items, ...rest].map(({ id }) => id)).toEqual(before);
  });
});

describe('GET of one 200', () => {
  it('answers what the list has of it, before and after the verdict', async () => {
    const dispute = await filed();
    const listed = async () => (await fixture.list({ id: dispute.id })).body.items;
    const open = await fixture.get(dispute.id);
    expect(open.status).toBe(200);
    expect(open.body).toMatchObject({ id: dispute.id, status: 'open', effect: 'counts_not_filled' });
    expect(await listed()).toEqual([open.body]);
    await fixture.resolve({ id: dispute.id, action: 'accept' });
    const accepted = await fixture.get(dispute.id);
    expect(accepted.body).toMatchObject({
      status: 'accepted',
      audit: [{ action: 'filed' }, { action: 'accepted' }],
    });
    expect(await listed()).toEqual([accepted.body]);
  });
});

describe('an id', () => {
  const unknown = 'dsp_000000000000000000000000000000000000';
  it.each([
    ['that was never issued, when it is read', () => fixture.get(unknown), 404, 'UNKNOWN_DISPUTE'],
    [
      'that was never issued, when it is decided',
      () => fixture.resolve({ id: unknown, action: 'accept' }),
      404,
      'UNKNOWN_DISPUTE',
    ],
    ['of another form', () => fixture.get('dsp_1'), 400, 'INVALID_REQUEST'],
  ])('%s', async (_what, ask, status, code) => {
    const answer = await ask();
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });
});

describe('the filters of the list by intent and by id', () => {
  it('find the disputes of an intent and the one with an id, also together with the others and in pages', async () => {
    const owner = freshSigner();
    const intent = await fixture.add(owner, 'failed');
    const byAnchor = (await fixture.file(disputeOf(intent, parties.harbour))).body;
    await fixture.resolve({ id: byAnchor.id, action: 'reject' });
    const recovered = { status: 'settled', 'outcome.kind': 'settled', 'outcome.reason': 'recovered' };
    const intents = fixture.app.connection.collection('intents');
    await intents.updateOne({ _id: intent._id as never }, { $set: recovered });
    const byAccount = (await fixture.file(disputeOf(intent, owner))).body;
    const other = await filed();

    const ids = async (query: Record<string, string>) => (await fixture.listAll(query)).map(({ id }) => id);
    expect(await ids({ intent: intent._id })).toEqual([byAccount.id, byAnchor.id]);
    expect(await ids({ intent: intent._id, limit: '1' })).toEqual([byAccount.id, byAnchor.id]);
    expect(await ids({ intent: intent._id, status: 'open' })).toEqual([byAccount.id]);
    expect(await ids({ intent: intent._id, anchor: 'squall' })).toEqual([]);
    expect(await ids({ id: byAnchor.id })).toEqual([byAnchor.id]);
    expect(await ids({ id: byAnchor.id, status: 'open' })).toEqual([]);
    expect(await ids({ id: other.id, intent: intent._id })).toEqual([]);
    expect(await ids({ intent: '0'.repeat(64) })).toEqual([]);

    const { nextCursor } = (await fixture.list({ intent: intent._id, limit: '1' })).body;
    const elsewhere = await fixture.list({ limit: '1', cursor: nextCursor ?? '' });
    expect([elsewhere.status, elsewhere.body.details?.[0]?.path]).toEqual([400, 'query.cursor']);
  });
});

describe('GET 400', () => {
  it.each([
    ['an intent that is no hash', { intent: 'abc' }, 'query.intent'],
    ['an id of another form', { id: 'dsp_1' }, 'query.id'],
    ['an unknown status', { status: 'closed' }, 'query.status'],
    ['an unknown support', { support: 'none' }, 'query.support'],
    ['an anchor that is no slug', { anchor: 'A B' }, 'query.anchor'],
    ['a limit of 0', { limit: '0' }, 'query.limit'],
    ['a limit over 100', { limit: '101' }, 'query.limit'],
    ['a made-up cursor', { cursor: 'bm90aGluZw' }, 'query.cursor'],
    ['an unknown parameter', { sort: 'asc' }, 'query.sort'],
  ])('for %s', async (_what, query, path) => {
    const { status, body } = await fixture.list(query);
    expect([status, body.code, body.details?.[0]?.path]).toEqual([400, 'INVALID_REQUEST', path]);
  });

  it('for the cursor of another list', async () => {
    const { nextCursor } = (await fixture.list({ limit: '1' })).body;
    const { status } = await fixture.list({ limit: '1', status: 'open', cursor: nextCursor ?? '' });
    expect(status).toBe(400);
  });
});

describe('POST 200', () => {
  it('records the verdict, shows it with the intent, and sends one event', async () => {
    const dispute = await filed();
    const { status, body } = await fixture.resolve({ id: dispute.id, action: 'reject', actor: 'bob' });
    expect([status, body.status]).toEqual([200, 'rejected']);
    expect((await fixture.resolve({ id: dispute.id, action: 'reject', actor: 'ada' })).body).toEqual(body);
    expect((await fixture.read(dispute.intentHash)).dispute).toEqual({
      disputeId: dispute.id,
      status: 'rejected',
      createdAt: dispute.createdAt,
      resolvedAt: body.resolvedAt,
    });
    const events = await fixture.events(dispute.intentHash);
    expect(events.map(({ event, data }) => [event, data.disputeId, data.status])).toEqual([
      ['dispute.created', dispute.id, 'open'],
      ['dispute.resolved', dispute.id, 'rejected'],
    ]);
  });
});

describe('POST 400', () => {
  const id = 'dsp_000000000000000000000000000000000000';
  it.each([
    ['nothing', {}, 'body.id'],
    ['an id of another form', { id: 'x', action: 'accept' }, 'body.id'],
    ['an operator for an id', { id: { $ne: '' }, action: 'accept' }, 'body.id'],
    ['an unknown action', { id, action: 'delete' }, 'body.action'],
    ['a note that is too long', { id, action: 'accept', note: 'a'.repeat(2_001) }, 'body.note'],
    ['evidence that says nothing', { id, action: 'accept', evidence: ' \n' }, 'body.evidence'],
    ['an actor without a name', { id, action: 'accept', actor: '' }, 'body.actor'],
    ['an unknown member', { id, action: 'accept', effect: 'counts_filled' }, 'body.effect'],
  ])('for %s', async (_what, body, path) => {
    const answer = await fixture.resolve(body);
    expect([answer.status, answer.body.details?.[0]?.path]).toEqual([400, path]);
  });
});

describe('POST 409 DISPUTE_RESOLVED', () => {
  it('for the other verdict, which changes nothing', async () => {
    const dispute = await filed();
    await fixture.resolve({ id: dispute.id, action: 'accept' });
    const { status, body } = await fixture.resolve({ id: dispute.id, action: 'reject' });
    expect([status, body.code]).toEqual([409, 'DISPUTE_RESOLVED']);
    const [kept] = (await fixture.listAll({ status: 'accepted' })).filter(({ id }) => id === dispute.id);
    expect(kept?.audit.map(({ action }) => action)).toEqual(['filed', 'accepted']);
  });
});
