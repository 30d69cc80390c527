import { describe, expect, it } from '@jest/globals';
import { Keypair } from '@stellar/stellar-base';
import { sep53Hash } from '../../../contract/verification/sign-dispute.js';
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
    // No other payment is even built.
    expect(late.last).toMatchObject({ step: 'instructed' });
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
    const { last } = await world.run(stored.instructed, { wallet: slow });
    world.pass(3_600_000);
    expect((await world.run(last)).ended).toMatchObject({ code: 'sequence_taken', moneyMoved: 'unknown' });
    expect(world.paid).toHaveLength(0);
  });
});

it('a payment that never reached the ledger is built anew in the same place when its time is over', async () => {
  const world = smallWorld();
  const later = { ...world.wallet, signTransaction: () => Promise.reject(new Error('later')) };
  const unsigned = (await world.run(stored.instructed, { wallet: later })).last;
  if (unsigned.step !== 'paying') throw new Error('it was not built');
  world.pass(3_600_000);
  const { states } = await world.run(unsigned, { waits: 3 });
  const paying = states.findLast((state) => state.step === 'paying');
  expect(paying).toMatchObject({ sequence: '101', earlier: [{ hash: unsigned.payment.hash }] });
  expect(world.paid).toHaveLength(1);
});

it('a payment that may be on its way is looked up to its end, not given up, where the anchor changes its mind', async () => {
  const world = smallWorld();
  world.knobs.frozen = true;
  const { last } = await world.run(stored.instructed, { waits: 3 });
  expect(last).toMatchObject({ step: 'paying', payment: { signed: true } });
  Object.assign(world.knobs, { frozen: false, record: { amount_in: '99' } });
  const { ended } = await world.run(last);
  expect(ended).toMatchObject({ code: 'instructions_changed', moneyMoved: 'no' });
  expect(world.paid).toHaveLength(0);
});

describe('a withdrawal is attached with the signature of the account over the intent', () => {
  const other = Keypair.random();
  const signedBy = (key: Keypair, message: string) =>
    Buffer.from(key.sign(Buffer.from(sep53Hash(message)))).toString('base64');

  it.each<[string, ((key: Keypair, message: string) => unknown) | undefined, boolean]>([
    ['where the wallet gives it', (key, message) => ({ signedMessage: signedBy(key, message) }), true],
    ['but without one where it signs no messages', undefined, false],
    ['but without one where it refuses', () => Promise.reject(new Error('declined')), false],
    ['but without one of another key', (_key, text) => ({ signedMessage: signedBy(other, text) }), false],
    ['but without one of another message', (key) => ({ signedMessage: signedBy(key, 'hello') }), false],
    ['but without one that is no base64', () => ({ signedMessage: '!' }), false],
  ])('%s', async (_name, sign, isSent) => {
    const world = smallWorld();
    const signMessage = sign && (async (message: string) => sign(world.seller, message) as never);
    const wallet = { ...world.wallet, ...(signMessage === undefined ? {} : { signMessage }) };
    await world.run(stored.started, { wallet, waits: 3 });
    const attached = { nonce: 'n', anchorTransactionId: 'w' };
    const accountSignature = signedBy(world.seller, stored.started.intentHash);
    expect(world.attached[0]).toEqual(isSent ? { ...attached, accountSignature } : attached);
    expect(world.paid).toHaveLength(1);
  });
});
