import { describe, expect, it } from '@jest/globals';
import { smallWorld, stored } from '../../fixtures/offramp/two-runs.js';

describe('two runs', () => {
  it.each(['instructed', 'attached'] as const)(
    'from the state `%s`, one after the other, pay once, and the late one says where it stands',
    async (step) => {
      const world = smallWorld();
      await world.run(stored[step], { waits: 3 });
      expect(world.paid).toHaveLength(1);
      let late = await world.run(stored[step]);
      expect(late.ended).toMatchObject({ code: 'already_paid', moneyMoved: 'unknown' });
      world.pass(3_600_000);
      late = await world.run(late.last);
      expect(late.ended).toMatchObject({ moneyMoved: 'unknown' });
      expect(world.paid).toHaveLength(1);
    },
  );

  it('pay once where the service has forgotten what the first one told it', async () => {
    const world = smallWorld();
    await world.run(stored.instructed, { waits: 1 });
    world.named.length = 0;
    const late = await world.run(stored.instructed);
    expect(late.ended).toMatchObject({ code: 'sequence_taken', moneyMoved: 'unknown' });
    world.pass(3_600_000);
    expect((await world.run(late.last)).ended).toMatchObject({ moneyMoved: 'unknown' });
    expect(world.paid).toHaveLength(1);
  });

  it('pay once where the place is taken between building and signing', async () => {
    const world = smallWorld();
    const slow = {
      ...world.wallet,
      async signTransaction(...args: Parameters<typeof world.wallet.signTransaction>) {
        world.spend();
        return world.wallet.signTransaction(...args);
      },
    };
    const { ended, last } = await world.run(stored.instructed, { wallet: slow });
    expect(ended).toMatchObject({ code: 'sequence_taken', moneyMoved: 'unknown' });
    world.pass(3_600_000);
    expect((await world.run(last)).ended).toMatchObject({ code: 'sequence_taken', moneyMoved: 'unknown' });
    expect(world.paid).toHaveLength(0);
  });
});

describe('a payment that never reached the ledger', () => {
  it('is built anew in the same place when its time is over', async () => {
    const world = smallWorld();
    const { states } = await world.run(stored.instructed, {
      wallet: { ...world.wallet, signTransaction: () => Promise.reject(new Error('later')) },
    });
    const unsigned = states.at(-1);
    if (unsigned?.step !== 'paying') throw new Error('it was not built');
    world.pass(3_600_000);
    const { states: after } = await world.run(unsigned, { waits: 3 });
    const paying = after.findLast((state) => state.step === 'paying');
    expect(paying).toMatchObject({ sequence: '101', earlier: [{ hash: unsigned.payment.hash }] });
    expect(world.paid).toHaveLength(1);
  });
});

describe('what is said of the money', () => {
  it.each(['completed', 'refunded', 'pending_external', 'pending_user_transfer_complete', 'error'])(
    'is that it is unknown where the record says %s before this run paid',
    async (status) => {
      const world = smallWorld();
      world.knobs.status = status;
      const { ended } = await world.run(stored.instructed);
      expect(ended).toMatchObject({ code: 'withdrawal_ended', detail: status, moneyMoved: 'unknown' });
    },
  );

  it.each(['pending_anchor', 'pending_stellar', 'on_hold', 'a_word_of_its_own'])(
    'is that it is unknown, and to be resumed, where the record says %s in place of asking for the payment',
    async (status) => {
      const world = smallWorld();
      world.knobs.status = status;
      const { ended, last } = await world.run(stored.instructed);
      expect(ended).toMatchObject({ code: 'payment_not_asked', detail: status, moneyMoved: 'unknown' });
      expect(ended).toMatchObject({ resumable: true });
      world.knobs.status = 'pending_user_transfer_start';
      await world.run(last, { waits: 3 });
      expect(world.paid).toHaveLength(1);
    },
  );

  it.each(['expired', 'too_small', 'too_large', 'no_market'])(
    'is that nothing was paid where the record says %s',
    async (status) => {
      const world = smallWorld();
      world.knobs.status = status;
      const { ended } = await world.run(stored.instructed);
      expect(ended).toMatchObject({ code: 'withdrawal_ended', detail: status, moneyMoved: 'no' });
    },
  );
});

describe('an intent that does not hold the withdrawal', () => {
  it.each([
    ['other_transaction', { transaction: { id: 'another' } }],
    ['passed_to_another', { transaction: { problem: 'passed_to_another' } }],
    ['never_funded', { outcome: { status: 'expired', reason: 'never_funded', amountOut: null } }],
  ])('is not paid for: %s', async (detail, knobs) => {
    const world = smallWorld();
    Object.assign(world.knobs, knobs);
    const { ended } = await world.run(stored.instructed);
    expect(ended).toMatchObject({ code: 'not_followed', detail, moneyMoved: 'no' });
    expect(world.paid).toHaveLength(0);
  });

  it.each([
    ['building', 'instructed'],
    ['signing', 'paying'],
  ])('is not paid for where it is lost just before %s', async (_name, step) => {
    const world = smallWorld();
    const lose = (state: { step: string }) => {
      if (state.step === step) world.knobs.transaction = { problem: 'passed_to_another' };
    };
    const { ended } = await world.run(stored.attached, { options: { onState: lose } });
    expect(ended).toMatchObject({ code: 'not_followed', moneyMoved: 'no' });
    expect(world.paid).toHaveLength(0);
  });
});

describe('after the payment', () => {
  it.each([
    [409, 'TRANSACTION_CONFLICT'],
    [404, 'UNKNOWN_INTENT'],
    [503, 'NOT_READY'],
  ])('an answer %i of the service does not keep the payout from being seen', async (...answer) => {
    const world = smallWorld();
    const paid = (state: { step: string }) => {
      if (state.step !== 'paid') return;
      world.knobs.serviceAnswers = answer;
      world.knobs.status = 'completed';
    };
    const { ended } = await world.run(stored.instructed, { options: { onState: paid } });
    expect(ended).toMatchObject({ state: { step: 'ended' }, intent: null });
  });
});
