import { afterEach, describe, expect, it } from '@jest/globals';
import { day, intentsFixture, minute, second } from '../../fixtures/intents/intents-over-http.js';

const fixture = await intentsFixture({ anchors: ['harbour', 'galleon'] });
// Intents left open by one test would be polled in the next, too.
afterEach(() => fixture.documents().deleteMany({}));

/** The account that pays, SEP-23's example of a muxed account over it, and one that pays nothing. */
const payer = 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ';
const muxedPayer = 'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ';
const bystander = 'GBXFXNDLV4LSWA4VB7YIL5GBD7BVNR22SGBTDKMO2SBZZHDXSKZYCP7L';

/** A registered intent, and a function with which its wallet presents a transaction. */
async function registered(account: string, patch: Record<string, unknown> = {}) {
  const terms = fixture.terms({ account, ...patch });
  const { intentHash } = (await fixture.post(terms)).body;
  const { nonce } = terms;
  return {
    intentHash,
    present: (anchorTransactionId: string) => fixture.attach(intentHash, { nonce, anchorTransactionId }),
    read: () => fixture.read(intentHash),
  };
}

/** A withdrawal of the payer, held by a bystander's intent and claimed by the payer's. */
async function contested(fields: Record<string, string> = { account: payer }) {
  const holder = await registered(bystander);
  const claimant = await registered(payer);
  const id = await fixture.begin('harbour', fields);
  const held = await holder.present(id);
  const claimed = await claimant.present(id);
  expect([held.status, claimed.status]).toEqual([200, 409]);
  return { holder, claimant, id, anchor: fixture.anchors.anchor('harbour') };
}

const followed = { status: 'pending_user_transfer_start', problem: null };

describe('a transaction that two intents present', () => {
  it.each([payer, muxedPayer])(
    'is refused to the second one, and passes at the next look to the payer, as both are told: %s',
    async (from) => {
      const { holder, claimant, id, anchor } = await contested();
      anchor.amend(id, { from });
      const unseen = { id, status: null, lastSeenAt: null, fundsReceivedAt: null, readyAt: null };
      expect((await claimant.read()).transaction).toEqual({ ...unseen, problem: 'held_by_another' });
      expect((await holder.read()).transaction).toEqual({ ...unseen, problem: null });
      const again = await claimant.present(id);
      expect([again.status, again.body]).toMatchObject([409, { code: 'TRANSACTION_CONFLICT' }]);
      // Of claims made at the same time, either may be the first.
      await fixture.pass(second);
      const later = await registered(payer);
      expect((await later.present(id)).status).toBe(409);
      await fixture.watch(30 * second);
      expect((await claimant.read()).transaction).toMatchObject({ id, ...followed });
      expect((await later.read()).transaction?.problem).toBe('held_by_another');
      const transaction = { ...unseen, problem: 'passed_to_another' };
      expect(await holder.read()).toMatchObject({ status: 'pending', transaction });
      expect((await claimant.present(id)).status).toBe(200);
      expect((await holder.present(id)).status).toBe(409);
    },
  );

  it('settles for the payer and is scored, also where the claim is passed only with the funds', async () => {
    const { holder, claimant, id, anchor } = await contested({ account: payer });
    anchor.amend(id, { from: null });
    await fixture.watch(30 * second);
    expect((await holder.read()).transaction?.problem).toBeNull();
    anchor.amend(id, { from: payer });
    anchor.pay(id, { ending: 'complete' });
    await fixture.watch(minute, 10);
    const { status, outcome } = await claimant.read();
    expect([status, outcome]).toMatchObject(['settled', { scored: true, unscoredReason: null }]);
    expect(outcome?.settleSeconds).not.toBeNull();
    expect(await holder.read()).toMatchObject({ status: 'pending', outcome: null });
    await fixture.watch(3 * day);
    expect((await holder.read()).outcome?.reason).toBe('no_transaction');
  });

  it('is not scored for a payer who presents it only after the funds were seen', async () => {
    const holder = await registered(bystander);
    const claimant = await registered(payer);
    const id = await fixture.begin('harbour', { account: payer });
    await holder.present(id);
    await fixture.watch(30 * second);
    expect((await holder.read()).transaction?.problem).toBe('other_account');
    fixture.anchors.anchor('harbour').pay(id, { ending: 'complete' });
    await fixture.watch(minute);
    expect((await claimant.present(id)).body.transaction).toMatchObject({ id, problem: null });
    await fixture.watch(minute, 10);
    const unscored = { status: 'settled', scored: false, unscoredReason: 'seen_after_payment' };
    expect((await claimant.read()).outcome).toMatchObject(unscored);
  });

  it.each([
    ['at once where the record has named the account', 1, [201]],
    ['at the next look, its intent and its claim being stored meanwhile', 0, [409, 200]],
  ])('passes to a payer whose registration presents it %s', async (_name, looks, statuses) => {
    const holder = await registered(bystander);
    const id = await fixture.begin('harbour', { account: payer });
    await holder.present(id);
    const terms = fixture.terms({ account: payer, anchorTransactionId: id });
    for (let n = 0; n < looks; n += 1) await fixture.watch(30 * second);
    for (const expected of statuses) {
      const { status, body } = await fixture.post(terms);
      expect(status).toBe(expected);
      if (status !== 409) expect(body.transaction).toMatchObject({ id, problem: null });
      await fixture.watch(30 * second);
    }
    expect((await holder.read()).transaction?.problem).toBe('passed_to_another');
  });

  it('stays with the first one where the record names nobody or a third account', async () => {
    const { holder, claimant, id, anchor } = await contested();
    anchor.amend(id, { from: null });
    await fixture.watch(30 * second);
    expect((await holder.read()).transaction).toMatchObject({ id, problem: null });
    anchor.amend(id, { from: 'GCEZWKCA5VLDNRLN3RPRJMRZOX3Z6G5CHCGSNFHEYVXM3XOJMDS674JZ' });
    await fixture.watch(30 * second);
    expect((await holder.read()).transaction).toMatchObject({ id, problem: 'other_account' });
    expect((await claimant.read()).transaction?.problem).toBe('held_by_another');
  });

  it.each([
    ['fail', 'is named only after the funds were seen'],
    ['refund', 'is named only after an outcome, which stays'],
  ] as const)('stays at a withdrawal that ends as %s where its sender %s', async (ending, _named) => {
    const { holder, claimant, id, anchor } = await contested();
    anchor.amend(id, { from: bystander });
    await fixture.watch(30 * second);
    anchor.pay(id, { ending });
    await fixture.watch(minute, 10);
    const before = await holder.read();
    expect(before.status).toBe(ending === 'refund' ? 'failed' : 'pending');
    anchor.amend(id, { from: payer });
    await fixture.watch(20 * minute);
    expect((await claimant.present(id)).status).toBe(409);
    expect((await claimant.read()).transaction?.problem).toBe('held_by_another');
    await fixture.watch(day);
    const { outcome } = await holder.read();
    if (ending === 'refund') expect(outcome).toEqual(before.outcome);
    else expect(outcome).toMatchObject({ status: 'failed', scored: true });
  });

  it('goes to its claimant where the holder replaces it before it was seen', async () => {
    const { holder, claimant, id } = await contested();
    expect((await holder.present('something-else')).status).toBe(200);
    expect((await claimant.read()).transaction).toMatchObject({ id, problem: null });
    await fixture.watch(30 * second);
    expect((await claimant.read()).transaction).toMatchObject({ id, ...followed });
  });

  it('is given up where the wallet attaches another one instead of its claim', async () => {
    const { claimant, holder, id } = await contested();
    const { body } = await claimant.present('my-own');
    expect(body.transaction).toMatchObject({ id: 'my-own', problem: null });
    await fixture.watch(30 * second);
    expect((await holder.read()).transaction).toMatchObject({ id, problem: 'other_account' });
  });

  it('has one holder and remembers the others where 20 intents present it at once', async () => {
    const accounts = Array.from({ length: 20 }, (_, index) => (index === 7 ? payer : bystander));
    const all = await Promise.all(accounts.map((account) => registered(account)));
    const id = await fixture.begin('harbour', { account: payer });
    const answers = await Promise.all(all.map((each) => each.present(id)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    await fixture.watch(30 * second);
    const problems = await Promise.all(all.map(async (each) => (await each.read()).transaction?.problem));
    expect(problems[7]).toBeNull();
    expect(problems.filter((problem) => problem === null)).toHaveLength(1);
    const passed = answers[7]?.status === 200 ? [] : ['passed_to_another'];
    expect(new Set(problems)).toEqual(new Set([null, 'held_by_another', ...passed]));
  });

  it('keeps a claim for a day beyond the deadline, but attaches nothing else then', async () => {
    const expiresAt = new Date(fixture.now() + 10 * minute).toISOString();
    const holder = await registered(bystander);
    const claimant = await registered(payer, { expiresAt });
    const id = await fixture.begin('harbour', { account: payer });
    await holder.present(id);
    await claimant.present(id);
    fixture.anchors.anchor('harbour').amend(id, { from: null });
    await fixture.watch(20 * minute);
    expect((await claimant.present('another')).status).toBe(409);
    expect((await claimant.read()).status).toBe('pending');
    fixture.anchors.anchor('harbour').amend(id, { from: payer });
    await fixture.watch(20 * minute);
    expect((await claimant.read()).transaction).toMatchObject({ id, problem: null });
  });
});

it('at an anchor that is followed by callbacks alone a callback to the claimant passes the transaction, and is applied to it', async () => {
  const holder = await registered(bystander, { anchorId: 'galleon' });
  const claimant = await registered(payer, { anchorId: 'galleon' });
  await holder.present('by-callback');
  expect((await claimant.present('by-callback')).status).toBe(409);
  const { status } = followed;
  const record = { id: 'by-callback', kind: 'withdrawal', status, from: payer };
  const body = JSON.stringify({ transaction: record });
  const answer = await fixture.callBack(claimant.intentHash, body, fixture.signed(body, 'galleon'));
  expect(answer.body).toMatchObject({ intentHash: claimant.intentHash, status: 'pending', applied: true });
  expect((await claimant.read()).transaction).toMatchObject({ id: 'by-callback', ...followed });
  expect((await holder.read()).transaction?.problem).toBe('passed_to_another');
});
