import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { IntentAnswer } from '../../../contract/schemas/intents.js';
import { noFaults } from '../../../scripts/simulated-ledger/faults.js';
import {
  account,
  day,
  hour,
  intentsFixture,
  minute,
  second,
} from '../../fixtures/intents/intents-over-http.js';
import { payments } from '../../fixtures/intents/payments.js';

const fixture = await intentsFixture({ ledger: true, anchors: ['harbour', 'squall'] });
const { started, name, pay, paymentOf, until } = payments(fixture);
const rival = 'GDNDEI3B7PZCHUBXEFDE6G2F2J2DWEXFLDTBCYCGH7O2ECA36A4QTAIO';

beforeEach(() => fixture.ledger.setFaults({ rpc: noFaults, horizon: noFaults }));
/** Closes what a test left open, so that the next test does not poll it. */
afterEach(async () => {
  await fixture.documents().updateMany({}, { $set: { open: false }, $unset: { lookUpDue: '' } });
});

const outcomeOf = ({ outcome }: IntentAnswer) =>
  outcome && [outcome.status, outcome.reason, outcome.evidence];

describe('an intent whose payment the ledger shows', () => {
  it('settles with the evidence, and its time runs from the closing of the ledger', async () => {
    const { intentHash, id } = await started();
    const entry = pay(id);
    await until(intentHash, 10 * second, 40, ({ outcome }) => outcome !== null);
    const intent = await fixture.read(intentHash);
    expect(outcomeOf(intent)).toEqual(['settled', 'completed', 'ledger']);
    expect(intent.payment?.found).toMatchObject({
      hash: entry.hash,
      namedBy: 'anchor',
      ledger: entry.ledger,
      closedAt: new Date(entry.closedAtMs).toISOString(),
      from: account,
      to: fixture.anchors.anchor('harbour').context.receivingAccount,
      amount: '100',
      memoType: 'id',
      lookedUpIn: 'rpc',
    });
    expect(intent.transaction?.fundsReceivedAt).toBe(intent.payment?.found?.closedAt);
    const paidOutMs = Date.parse(intent.outcome?.paidOutAt ?? '');
    expect(intent.outcome?.settleSeconds).toBe(Math.floor((paidOutMs - entry.closedAtMs) / second));
    expect(intent.outcome?.scored).toBe(true);
  });

  it.each(['vanish', 'forget'] as const)(
    'fails as overdue without a dispute where the anchor takes it and does %s',
    async (ending) => {
      const { intentHash, id, nonce } = await started({ ending });
      const { hash } = pay(id);
      await fixture.pass(5 * second);
      expect((await name(intentHash, nonce, hash)).status).toBe(200);
      await until(intentHash, 2 * hour, 30, ({ outcome }) => outcome !== null);
      const intent = await fixture.read(intentHash);
      expect(outcomeOf(intent)).toEqual(['failed', 'overdue', 'ledger']);
      expect(intent.payment).toMatchObject({ found: { hash, namedBy: 'wallet' } });
      expect(intent.outcome?.scored).toBe(true);
    },
  );

  it('fails also where the anchor had called it expired, before the wallet named the payment', async () => {
    const { intentHash, id, nonce } = await started({ ending: 'vanish' });
    const { hash } = pay(id);
    await fixture.pass(5 * second);
    fixture.anchors.anchor('harbour').amend(id, { status: 'expired' });
    await until(intentHash, minute, 5, ({ outcome }) => outcome !== null);
    expect(outcomeOf(await fixture.read(intentHash))).toEqual(['expired', 'abandoned', 'unverified']);
    const named = await name(intentHash, nonce, hash);
    expect([named.status, named.body.status]).toEqual([200, 'expired']);
    await until(intentHash, 6 * hour, 8, ({ status }) => status === 'failed');
    expect(outcomeOf(await fixture.read(intentHash))).toEqual(['failed', 'error', 'ledger']);
    expect((await fixture.events()).filter(({ data }) => data.intentHash === intentHash)).toHaveLength(1);
  });
});

describe('a payment that the anchor makes up', () => {
  const made = { status: 'completed', amount_in: '100', amount_out: '150000' };
  it('is not believed: the intent expires, and the contradiction is counted for the anchor', async () => {
    const before = (await fixture.contradictions('squall')) ?? Number.NaN;
    const { intentHash, id } = await started({ anchorId: 'squall' });
    const completed_at = new Date(fixture.now()).toISOString();
    const told = { ...made, stellar_transaction_id: 'f'.repeat(64), completed_at };
    fixture.anchors.anchor('squall').amend(id, told);
    await until(intentHash, 2 * hour, 30, ({ outcome }) => outcome !== null);
    const intent = await fixture.read(intentHash);
    expect(outcomeOf(intent)).toEqual(['expired', 'never_funded', 'unverified']);
    expect(intent.payment?.named).toMatchObject([{ by: 'anchor', problem: 'not_found' }]);
    expect(await fixture.contradictions('squall')).toBe(before + 1);
  });

  it('is not believed where it pays somebody else, and nothing is counted where a stranger paid the anchor', async () => {
    const before = (await fixture.contradictions('squall')) ?? Number.NaN;
    const { intentHash, id } = await started({ anchorId: 'squall' });
    const { hash } = fixture.ledger.pay({ source: rival, payments: [{ to: rival, amount: '100' }] });
    const foreign = await started({ anchorId: 'squall' });
    const strangers = pay(foreign.id, { anchorId: 'squall', from: rival });
    await fixture.pass(5 * second);
    fixture.anchors.anchor('squall').amend(id, { ...made, stellar_transaction_id: hash });
    fixture.anchors.anchor('squall').amend(foreign.id, { ...made, stellar_transaction_id: strangers.hash });
    await until(intentHash, 30 * second, 4, ({ payment }) => payment?.named[0]?.problem != null);
    await until(foreign.intentHash, 30 * second, 4, ({ payment }) => payment?.named[0]?.problem != null);
    const [own, others] = [await fixture.read(intentHash), await fixture.read(foreign.intentHash)];
    expect([own.status, own.payment?.named[0]?.problem]).toEqual(['pending', 'other_sender']);
    expect([others.status, others.payment?.named[0]?.problem]).toEqual(['pending', 'other_sender']);
    expect(await fixture.contradictions('squall')).toBe(before + 1);
  });

  it('that a wallet names harms nobody', async () => {
    const { intentHash, nonce } = await started();
    const { hash } = fixture.ledger.pay({ source: account, payments: [{ to: rival, amount: '100' }] });
    await fixture.pass(5 * second);
    await name(intentHash, nonce, hash);
    await until(intentHash, 2 * hour, 30, ({ outcome }) => outcome !== null);
    const intent = await fixture.read(intentHash);
    // The anchor gives up on the withdrawal after a day.
    expect(outcomeOf(intent)).toEqual(['expired', 'abandoned', 'unverified']);
    expect(intent.payment?.named).toMatchObject([{ by: 'wallet', problem: 'other_destination' }]);
  });
});

describe('a ledger that cannot tell', () => {
  /** A withdrawal that was paid and booked by the anchor, which watches the same ledger. */
  const paidInTime = async () => {
    const { intentHash, id } = await started();
    pay(id);
    await fixture.pass(2 * second);
    return { intentHash };
  };

  it.each([
    ['is away', { away: true }],
    ['reaches back too short a time', { retainMs: 1 }],
  ])('keeps the outcome open where it %s, and decides once it can', async (_, fault) => {
    const { intentHash } = await paidInTime();
    fixture.ledger.setFaults({ rpc: { ...fault, forgets: true }, horizon: { ...fault, forgets: true } });
    await until(intentHash, minute, 10, ({ transaction }) => transaction?.status === 'completed');
    const waiting = await fixture.read(intentHash);
    expect(waiting).toMatchObject({ status: 'pending', transaction: { status: 'completed' }, outcome: null });
    fixture.ledger.setFaults({ rpc: noFaults, horizon: noFaults });
    await until(intentHash, 10 * minute, 10, ({ outcome }) => outcome !== null);
    expect(outcomeOf(await fixture.read(intentHash))).toEqual(['settled', 'completed', 'ledger']);
  });

  it('leaves the outcome unverified after a day, and it is verified when the ledger is back', async () => {
    const { intentHash } = await paidInTime();
    fixture.ledger.setFaults({ rpc: { away: true }, horizon: { away: true } });
    await until(intentHash, hour, 30, ({ outcome }) => outcome !== null);
    expect(outcomeOf(await fixture.read(intentHash))).toEqual(['settled', 'completed', 'unverified']);
    fixture.ledger.setFaults({ rpc: noFaults, horizon: noFaults });
    await until(intentHash, 2 * hour, 5, ({ outcome }) => outcome?.evidence === 'ledger');
    expect(outcomeOf(await fixture.read(intentHash))).toEqual(['settled', 'completed', 'ledger']);
  });

  it('moves nothing for good where it lies about its range: the payment is found when it is mended', async () => {
    const { intentHash } = await paidInTime();
    const lies = { retainMs: 1, forgets: true, liesAboutRange: true };
    fixture.ledger.setFaults({ rpc: lies, horizon: lies });
    await until(intentHash, hour, 4, () => false);
    expect((await fixture.read(intentHash)).status).toBe('pending');
    fixture.ledger.setFaults({ rpc: noFaults, horizon: noFaults });
    await until(intentHash, hour, 4, ({ outcome }) => outcome !== null);
    expect(outcomeOf(await fixture.read(intentHash))).toEqual(['settled', 'completed', 'ledger']);
  });
});

it('a payment whose place nobody recorded leaves the outcome unverified', async () => {
  const { intentHash, id } = await started({ hidden: true });
  pay(id);
  await until(intentHash, 30 * second, 20, ({ outcome }) => outcome !== null);
  const intent = await fixture.read(intentHash);
  expect(outcomeOf(intent)).toEqual(['settled', 'completed', 'unverified']);
  expect(intent.outcome).toMatchObject({ counts: 'no', uncountedReason: 'unverified' });
});

describe('a transaction that a robber holds', () => {
  it('stays with him where neither its record nor a payment named for it tells who paid: a wallet is told before it pays', async () => {
    const { id, holder: robbers, showWhereToPay } = await robbed();
    await fixture.settle();
    const { intentHash, nonce } = await registered();
    const conflict = await fixture.attach(intentHash, { nonce, anchorTransactionId: id });
    expect(conflict.status).toBe(409);
    await showWhereToPay();
    expect((await fixture.read(intentHash)).transaction?.problem).toBe('held_by_another');
    const { hash } = pay(id);
    await fixture.pass(5 * second);
    expect((await name(intentHash, nonce, hash)).status).toBe(200);
    await until(intentHash, 2 * hour, 30, ({ outcome }) => outcome !== null);
    expect(outcomeOf(await fixture.read(intentHash))).toEqual(['expired', 'no_transaction', 'unverified']);
    expect((await fixture.read(robbers)).payment).toBeNull();
  });

  /** A withdrawal held by another account's intent; the anchor keeps the payment without reporting it. */
  async function robbed() {
    const id = await fixture.begin('harbour');
    const anchor = fixture.anchors.anchor('harbour');
    anchor.amend(id, { from: rival });
    const holder = (await fixture.post(fixture.terms({ account: rival, anchorTransactionId: id }))).body
      .intentHash;
    const showWhereToPay = async () => {
      anchor.withdrawals.submitForm(fixture.withdrawal('harbour', id));
      anchor.withdrawals.choose(fixture.withdrawal('harbour', id), 'vanish');
      const isShown = ({ transaction }: IntentAnswer) =>
        transaction?.status === 'pending_user_transfer_start';
      await until(holder, 30 * second, 3, isShown);
    };
    return { id, anchor, holder, showWhereToPay };
  }

  it.each(['before its claim', 'with its claim'])(
    'passes to whoever paid it once the anchor names the payment too, which its wallet named %s',
    async (order) => {
      const { id, anchor, holder, showWhereToPay } = await robbed();
      await showWhereToPay();
      const { intentHash, nonce } = await registered();
      const { hash } = pay(id);
      await fixture.pass(5 * second);
      const ids = { nonce, anchorTransactionId: id };
      if (order === 'before its claim') expect((await name(intentHash, nonce, hash)).status).toBe(200);
      const together = order === 'with its claim' ? { ...ids, paymentHash: hash } : ids;
      expect((await fixture.attach(intentHash, together)).status).toBe(409);
      anchor.amend(id, { stellar_transaction_id: hash });
      await until(intentHash, minute, 10, ({ payment }) => payment?.found != null);
      expect((await fixture.read(intentHash)).payment?.found).toMatchObject({ hash, namedBy: 'wallet' });
      expect(await fixture.read(holder)).toMatchObject({ transaction: { problem: 'passed_to_another' } });
    },
  );

  it('passes to whoever named the payment before any record said where to pay', async () => {
    const { id, anchor, holder, showWhereToPay } = await robbed();
    await fixture.settle();
    const { intentHash, nonce } = await registered();
    expect((await fixture.attach(intentHash, { nonce, anchorTransactionId: id })).status).toBe(409);
    const payment = paymentOf(id, '1000');
    const hash = payment.hash().toString('hex');
    expect((await name(intentHash, nonce, hash)).status).toBe(200);
    await showWhereToPay();
    fixture.ledger.submit(payment);
    await fixture.pass(5 * second);
    anchor.amend(id, { status: 'pending_anchor', stellar_transaction_id: hash });
    await until(intentHash, minute, 10, ({ payment }) => payment?.found != null);
    expect((await fixture.read(intentHash)).payment?.found).toMatchObject({ hash });
    expect(await fixture.read(holder)).toMatchObject({ transaction: { problem: 'passed_to_another' } });
  });

  it('passes once, and not back, to an account that paid before its intent began, whatever the record says', async () => {
    const { id, anchor, holder, showWhereToPay } = await robbed();
    await showWhereToPay();
    await fixture.pass(5 * second);
    const { hash } = pay(id);
    await fixture.pass(5 * second);
    const { intentHash, nonce } = await registered();
    expect((await fixture.attach(intentHash, { nonce, anchorTransactionId: id })).status).toBe(409);
    anchor.amend(id, { status: 'pending_anchor', stellar_transaction_id: hash });
    await until(intentHash, minute, 3, ({ payment }) => payment?.named[0]?.problem != null);
    const passed = await fixture.read(intentHash);
    expect([passed.status, passed.payment?.named[0]?.problem]).toEqual(['pending', 'too_early']);
    expect(await fixture.read(holder)).toMatchObject({ transaction: { problem: 'passed_to_another' } });
  });

  const registered = async () => {
    const body = fixture.terms();
    return { intentHash: (await fixture.post(body)).body.intentHash, nonce: String(body.nonce) };
  };
});

describe('POST /api/intent/{intentHash}/transaction', () => {
  it('is 400 without an id and without a payment, and 404 for a payment named with another nonce', async () => {
    const { intentHash, nonce } = await started();
    expect((await fixture.attach(intentHash, { nonce })).status).toBe(400);
    expect((await name(intentHash, 'another-nonce-0123456789', 'a'.repeat(64))).status).toBe(404);
  });

  it('is 409 for another payment once one was found', async () => {
    const { intentHash, id, nonce } = await started({ ending: 'vanish' });
    const { hash } = pay(id);
    await fixture.pass(5 * second);
    await name(intentHash, nonce, hash);
    await until(intentHash, second, 3, ({ payment }) => payment?.found != null);
    expect((await name(intentHash, nonce, hash)).status).toBe(200);
    expect((await name(intentHash, nonce, 'b'.repeat(64))).status).toBe(409);
    await fixture.pass(day);
  });
});
