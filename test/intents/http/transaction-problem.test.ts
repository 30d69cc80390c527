import { afterEach, describe, expect, it } from '@jest/globals';
import { day, intentsFixture, minute, second } from '../../fixtures/intents/intents-over-http.js';

const fixture = intentsFixture({ anchors: ['harbour', 'squall'] });
// Intents left open by one test would be polled in the next, too.
afterEach(() => fixture.documents().deleteMany({}));

const otherAccount = 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ';

/** A new intent to which this id was attached at once. */
async function attached(anchorTransactionId: string) {
  const terms = fixture.terms({ anchorTransactionId });
  const { body } = await fixture.post(terms);
  return { terms, intentHash: body.intentHash };
}

async function look(afterMs = 30 * second): Promise<void> {
  await fixture.pass(afterMs);
  await fixture.settle();
}

async function problemOf(intentHash: string): Promise<string | null | undefined> {
  return (await fixture.read(intentHash)).transaction?.problem;
}

describe('transaction.problem', () => {
  it('is null before the first look, and for a withdrawal of this account', async () => {
    const id = await fixture.begin('harbour');
    const { intentHash } = await attached(id);
    expect(await problemOf(intentHash)).toBeNull();
    await look();
    expect((await fixture.read(intentHash)).transaction).toMatchObject({ id, problem: null });
  });

  it('is unknown_to_anchor after one look that the anchor answers with 404', async () => {
    const { intentHash } = await attached('mistyped');
    await look();
    expect(await fixture.read(intentHash)).toMatchObject({
      status: 'pending',
      transaction: { id: 'mistyped', status: null, lastSeenAt: null, problem: 'unknown_to_anchor' },
    });
  });

  it('does not say unknown_to_anchor where the anchor only failed to answer', async () => {
    const { body } = await fixture.post(
      fixture.terms({ anchorId: 'squall', anchorTransactionId: 'unheard' }),
    );
    const squall = fixture.anchors.anchor('squall');
    squall.setProfile({ faults: { error500: 1, html: 0, hang: 0 } });
    await look();
    squall.setProfile({ faults: { error500: 0, html: 0, hang: 0 } });
    expect(await problemOf(body.intentHash)).toBeNull();
  });

  it('is not_a_withdrawal for a deposit, and goes when a later look finds a withdrawal', async () => {
    const id = await fixture.begin('harbour');
    fixture.anchors.anchor('harbour').amend(id, { kind: 'deposit' });
    const { intentHash } = await attached(id);
    await look();
    expect(await problemOf(intentHash)).toBe('not_a_withdrawal');
    fixture.anchors.anchor('harbour').amend(id, { kind: 'withdrawal' });
    await look();
    expect(await problemOf(intentHash)).toBeNull();
  });

  it('is other_account for a withdrawal that names another sender', async () => {
    const { intentHash } = await attached(await fixture.begin('harbour', { account: otherAccount }));
    await look();
    expect(await problemOf(intentHash)).toBe('other_account');
  });

  it('is other_asset for a withdrawal of another corridor', async () => {
    const id = await fixture.begin('harbour');
    fixture.anchors.anchor('harbour').amend(id, { amount_out_asset: 'iso4217:KES' });
    const { intentHash } = await attached(id);
    await look();
    expect(await problemOf(intentHash)).toBe('other_asset');
  });

  it('goes when the anchor knows the transaction at a later look', async () => {
    const id = await fixture.begin('harbour');
    const { intentHash } = await attached(id);
    await fixture
      .documents()
      .updateOne({ _id: intentHash as never }, { $set: { problem: 'unknown_to_anchor' } });
    await look();
    expect(await problemOf(intentHash)).toBeNull();
  });
});

describe('an id that was never seen', () => {
  it('is replaced by another one, which is followed to its outcome and scored', async () => {
    const { terms, intentHash } = await attached('wrong-at-first');
    await look();
    const id = await fixture.begin('harbour');
    const { status, body } = await fixture.post({ ...terms, anchorTransactionId: id });
    expect([status, body.transaction]).toMatchObject([200, { id, problem: null }]);
    await look();
    fixture.anchors.anchor('harbour').pay(id, { ending: 'complete' });
    for (let minutes = 0; minutes < 10; minutes += 1) await look(minute);
    const { outcome } = await fixture.read(intentHash);
    expect(outcome).toMatchObject({ status: 'settled', scored: true });
  });

  it('is free for another intent once it is replaced', async () => {
    const { terms } = await attached('given-up');
    await fixture.post({ ...terms, anchorTransactionId: 'taken-instead' });
    expect((await fixture.post(fixture.terms({ anchorTransactionId: 'given-up' }))).status).toBe(201);
  });

  it('cannot be replaced after the intent ended', async () => {
    const { terms, intentHash } = await attached('never-there');
    await fixture.pass(2 * day + minute);
    const late = await fixture.post({ ...terms, anchorTransactionId: 'much-too-late' });
    expect([late.status, late.body]).toMatchObject([409, { code: 'TRANSACTION_CONFLICT' }]);
    expect(await fixture.read(intentHash)).toMatchObject({
      outcome: { reason: 'never_funded' },
      transaction: { id: 'never-there' },
    });
  });
});
