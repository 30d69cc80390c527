import { afterEach, describe, expect, it } from '@jest/globals';
import { signatureIn, signer } from '../../fixtures/disputes/dispute-values.js';
import { day, intentsFixture, minute, second } from '../../fixtures/intents/intents-over-http.js';
import { payments } from '../../fixtures/intents/payments.js';

const payer = signer('the payer of a withdrawal');
const attacker = signer('somebody who pays nothing');
const withoutLedger = await intentsFixture({ anchors: ['harbour'] });
const withLedger = await intentsFixture({ anchors: ['harbour'], ledger: true });

describe('where the word of the anchor is taken', () => {
  const fixture = withoutLedger;
  // Intents left open by one test would be polled in the next, too.
  afterEach(() => fixture.documents().deleteMany({}));

  async function registered(account: string, patch: Record<string, unknown> = {}) {
    const terms = fixture.terms({ account, ...patch });
    const { intentHash } = (await fixture.post(terms)).body;
    return {
      intentHash,
      attach(anchorTransactionId: string, signed = false) {
        const accountSignature = signed ? signatureIn('SEP-53', intentHash, payer) : undefined;
        return fixture.attach(intentHash, { nonce: terms.nonce, anchorTransactionId, accountSignature });
      },
    };
  }

  it.each<[string, string, Record<string, unknown>, boolean]>([
    ['of another account', attacker.account, {}, false],
    ['of another corridor', attacker.account, { corridor: 'usdc-kes' }, false],
    ["of another corridor, in the payer's name", payer.account, { corridor: 'usdc-kes' }, true],
    ["in the payer's name, with another amount", payer.account, { sellAmount: '1000' }, true],
  ])(
    'whoever attaches a withdrawal first to an intent %s keeps no outcome from its payer',
    async (_name, account, patch, signed) => {
      const first = await registered(account, patch);
      const own = await registered(payer.account);
      const id = await fixture.begin('harbour', { account: payer.account });
      expect((await first.attach(id)).status).toBe(200);
      expect((await own.attach(id, signed)).status).toBe(signed ? 200 : 409);
      await fixture.watch(30 * second);
      expect((await fixture.read(own.intentHash)).transaction).toMatchObject({ id, problem: null });
      expect((await first.attach(id)).status).toBe(409);
      fixture.anchors.anchor('harbour').pay(id, { ending: 'complete' });
      await fixture.watch(minute, 10);
      const { outcome } = await fixture.read(own.intentHash);
      expect(outcome).toMatchObject({ status: 'settled', counts: 'filled' });
      expect((await fixture.read(first.intentHash)).outcome).toBeNull();
    },
  );

  it('whoever guesses the id before the anchor gives it out gives it up to the wallet that was given it', async () => {
    const guesser = await registered(attacker.account);
    const own = await registered(payer.account);
    const next = 'guessed-0';
    expect((await guesser.attach(next)).status).toBe(200);
    await fixture.watch(30 * second);
    expect((await fixture.read(guesser.intentHash)).transaction?.problem).toBe('unknown_to_anchor');
    expect((await own.attach(next)).body.transaction).toMatchObject({ id: next, problem: null });
    expect((await fixture.read(guesser.intentHash)).transaction?.problem).toBe('passed_to_another');
    // It yields to nobody whose id the anchor knew, and whose withdrawal began before it was attached.
    const id = await fixture.begin('harbour', { account: payer.account });
    const holder = await registered(payer.account);
    await holder.attach(id);
    await fixture.watch(30 * second);
    expect((await guesser.attach(id)).status).toBe(409);
  });

  it('refuses a signature that is not of the account, and attaches nothing', async () => {
    const intent = await registered(attacker.account);
    const { status, body } = await intent.attach('signed-by-another', true);
    expect([status, body]).toMatchObject([400, { details: [{ path: 'body.accountSignature' }] }]);
    expect((await fixture.read(intent.intentHash)).transaction).toBeNull();
  });

  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    [
      'does not answer its question for 31 days',
      { status: 'pending_customer_info_update' },
      { status: 'failed', reason: 'customer_absent', counts: 'no', uncountedReason: 'customer_absent' },
    ],
    [
      'pays 9 % less and is refunded',
      { status: 'refunded', amount_in: '91' },
      { status: 'failed', reason: 'refunded', counts: 'no', uncountedReason: 'amount_mismatch' },
    ],
  ])('a customer who pays and %s costs the anchor nothing', async (_name, record, outcome) => {
    const { intentHash, attach } = await registered(payer.account);
    const id = await fixture.begin('harbour', { account: payer.account });
    await attach(id);
    await fixture.watch(30 * second);
    const anchor = fixture.anchors.anchor('harbour');
    anchor.pay(id, { ending: 'complete' });
    anchor.amend(id, { stellar_transaction_id: 'ab', amount_out: null, ...record });
    await fixture.watch(minute, 2);
    await fixture.watch(16 * day, 2);
    expect((await fixture.read(intentHash)).outcome).toMatchObject(outcome);
  });
});

describe('where a ledger is asked', () => {
  const fixture = withLedger;
  const { started, pay, name } = payments(fixture);

  it('200 claims with invented payments from ten addresses in 13 s keep no honest payment waiting for 5 s', async () => {
    const honest = await started();
    const held = await started();
    const terms = fixture.terms({ account: attacker.account });
    const { intentHash } = (await fixture.post(terms)).body;
    const claim = { nonce: terms.nonce, anchorTransactionId: held.id, paymentHash: '0'.repeat(64) };
    const claimed = await fixture.attach(intentHash, claim);
    expect(claimed.status).toBe(409);
    // The other claims are as the service has stored this one, from ten addresses.
    const stored = await fixture.documents().findOne({ _id: intentHash as never });
    const others = Array.from({ length: 199 }, (_, place) => {
      const hash = (place + 1).toString(16).padStart(64, '0');
      const named = [{ ...stored?.payment.named[0], hash }];
      const _id = hash as never;
      return { ...stored, _id, client: `client ${place % 10}`, payment: { ...stored?.payment, named } };
    });
    await fixture.documents().insertMany(others);
    await fixture.pass(13 * second);
    const { hash } = pay(honest.id);
    await name(honest.intentHash, honest.nonce, hash);
    // The ledger closes.
    await fixture.pass(4 * second);
    const { body } = await fixture.reconcile();
    expect((await fixture.read(honest.intentHash)).payment?.found).toMatchObject({ hash });
    expect(body.lookedUp).toBe(1);
  });
});
