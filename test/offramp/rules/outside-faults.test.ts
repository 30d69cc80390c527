import { describe, expect, it } from '@jest/globals';
import { Keypair, TransactionBuilder } from '@stellar/stellar-base';
import type { OfframpError, OfframpWallet } from '../../../contract/offramp/index.js';
import { smallWorld, stored } from '../../fixtures/offramp/two-runs.js';

describe('a wallet', () => {
  it.each([
    ['to an error beside an empty signature', { signedTxXdr: '', error: { code: -4, message: 'declined' } }],
    ['to an Error', new Error('declined')],
    ['to nothing', undefined],
  ])('that resolves %s has refused', async (_name, answer) => {
    const world = smallWorld();
    const wallet = { ...world.wallet, signTransaction: async () => answer } as unknown as OfframpWallet;
    const { ended } = await world.run(stored.instructed, { wallet });
    expect(ended).toMatchObject({ code: 'wallet_refused', moneyMoved: 'no' });
  });

  it('that returns the transaction unsigned, or signed by another key, has not signed it', async () => {
    for (const key of [null, Keypair.random()]) {
      const world = smallWorld();
      const wallet: OfframpWallet = {
        ...world.wallet,
        async signTransaction(xdr, { networkPassphrase }) {
          const transaction = TransactionBuilder.fromXDR(xdr, networkPassphrase);
          if (key !== null) transaction.sign(key);
          return { signedTxXdr: transaction.toXDR() };
        },
      };
      const { ended, last } = await world.run(stored.instructed, { wallet });
      expect(ended).toMatchObject({ code: 'signature_missing', moneyMoved: 'no' });
      expect(last).toMatchObject({ step: 'paying', payment: { signed: false } });
    }
  });

  it('of another account is not asked to sign for the one of the state', async () => {
    const world = smallWorld();
    const address = Keypair.random().publicKey();
    const wallet = { ...world.wallet, getAddress: async () => ({ address }) };
    const { ended } = await world.run(stored.instructed, { wallet });
    expect(ended).toMatchObject({ code: 'other_account', detail: address, moneyMoved: 'no' });
  });
});

describe('a ledger', () => {
  it('of another network is told from the one of the state, before anything is looked up or signed', async () => {
    const world = smallWorld();
    world.knobs.network = 'Another network';
    const { ended } = await world.run(stored.instructed);
    expect(ended).toMatchObject({ code: 'wrong_network', detail: 'Another network' });
    expect(world.paid).toHaveLength(0);
  });

  it('is not asked for a state of another network: the payment may be on that one', async () => {
    const world = smallWorld();
    const { ended } = await world.run(stored.instructed, { options: { networkPassphrase: 'Another' } });
    expect(ended).toMatchObject({ code: 'wrong_network', moneyMoved: 'unknown' });
  });

  it('that closes no ledger any more is given up, with the payment unknown', async () => {
    const world = smallWorld();
    world.knobs.frozen = true;
    const { ended } = await world.run(stored.instructed, { waits: 1_000 });
    expect(ended).toMatchObject({ code: 'ledger_unavailable', moneyMoved: 'unknown' });
  });

  it.each([{ oldestLedgerCloseTime: null }, { latestLedgerCloseTime: '9e12' }, { latestLedger: -1 }])(
    'that does not say which ledgers it looked in is not believed: %j',
    async (range) => {
      const world = smallWorld();
      world.knobs.range = range;
      const { ended } = await world.run(stored.instructed);
      expect(ended).toMatchObject({ code: 'ledger_unavailable', moneyMoved: 'no' });
    },
  );
});

describe('what is paid', () => {
  it('is not waited for for ever where neither service nor anchor answers', async () => {
    const world = smallWorld();
    const away = (state: { step: string }) => {
      if (state.step !== 'reported') return;
      world.knobs.serviceAnswers = [503, 'NOT_READY'];
      world.knobs.anchorStatus = 503;
    };
    const { ended } = await world.run(stored.instructed, { options: { onState: away }, waits: 1_000 });
    expect(ended).toMatchObject({ code: 'service_unavailable', moneyMoved: 'yes' });
  });

  it.each(['expired', 'too_small', 'no_market'])('ends where the anchor last says %s', async (status) => {
    const world = smallWorld();
    const end = (state: { step: string }) => {
      if (state.step === 'reported') world.knobs.status = status;
    };
    const { ended } = await world.run(stored.instructed, { options: { onState: end }, waits: 1_000 });
    expect(ended).toMatchObject({ code: 'not_paid_out', detail: status, moneyMoved: 'yes' });
    expect(ended).toMatchObject({ resumable: true });
  });

  it('is resumed to its payout after the service had given it up', async () => {
    const world = smallWorld();
    world.knobs.outcome = { status: 'failed', reason: 'overdue', amountOut: null };
    const giveUp = (state: { step: string }) => {
      world.knobs.outcome =
        state.step === 'reported' ? { status: 'failed', reason: 'overdue', amountOut: null } : null;
    };
    world.knobs.outcome = null;
    const { ended, last } = await world.run(stored.instructed, { options: { onState: giveUp } });
    expect(ended).toMatchObject({ code: 'not_paid_out', resumable: true, state: { step: 'ended' } });
    world.knobs.outcome = { status: 'settled', reason: 'recovered', amountOut: '150000' };
    const { ended: after } = await world.run((ended as OfframpError).state ?? last);
    expect(after).toMatchObject({ amountOut: '150000' });
  });
});

describe('an option', () => {});

describe('an error that nobody foresaw', () => {
  it('says all the same what is known of the money', async () => {
    const world = smallWorld();
    const wait = async () => {
      throw new TypeError('a fault');
    };
    const { ended } = await world.run(stored.instructed, { options: { wait } });
    expect(ended).toMatchObject({
      code: 'unexpected',
      moneyMoved: 'unknown',
      state: { step: 'paying' },
      cause: { message: 'a fault' },
    });
  });

  it.each([
    ['options.rpcUrl', { rpcUrl: 'no address' }],
    ['options.open', { open: undefined as never }],
    ['options.maxFeeStroops', { maxFeeStroops: '0.1' }],
    ['options.pollMs', { pollMs: Number.NaN }],
    ['options.patienceMs', { patienceMs: -1 }],
  ])('cannot come from %s: it is looked at before anything is asked', async (detail, options) => {
    const world = smallWorld();
    const { ended, states } = await world.run(stored.instructed, { options });
    expect(ended).toMatchObject({ code: 'arguments_invalid', detail, moneyMoved: 'no' });
    expect(states).toHaveLength(1);
  });
});
