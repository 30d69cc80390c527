import { describe, expect, it } from '@jest/globals';
import { Keypair, TransactionBuilder } from '@stellar/stellar-base';
import { OfframpError, type OfframpOptions, type OfframpWallet } from '../../../contract/offramp/index.js';
import { challengeOf, challengeParts } from '../../fixtures/offramp/challenges.js';
import { type Knobs, type SmallWorld, smallWorld, stored } from '../../fixtures/offramp/two-runs.js';

const noAnswer = { serviceAnswers: [503, 'NOT_READY'], anchorStatus: 503 } satisfies Partial<Knobs>;
const lost = { transaction: { problem: 'passed_to_another' } };

/** What happens around a run, and when. */
interface Around {
  from?: keyof typeof stored;
  knobs?: Partial<Knobs>;
  /** From this step on, these differ. */
  at?: string;
  become?: Partial<Knobs>;
  options?: Partial<OfframpOptions>;
  wallet?: (world: SmallWorld) => Partial<OfframpWallet>;
  paid?: number;
}

async function ending({ from = 'instructed', knobs, at, become, options, wallet, paid = 0 }: Around) {
  const world = smallWorld();
  Object.assign(world.knobs, knobs);
  const { ended, last } = await world.run(stored[from], {
    waits: 1_000,
    wallet: { ...world.wallet, ...wallet?.(world) },
    options: { onState: ({ step }) => void (step === at && Object.assign(world.knobs, become)), ...options },
  });
  expect(world.paid).toHaveLength(paid);
  return { ended, last, world };
}

const resolving = (answer: unknown) => () => ({ signTransaction: async () => answer as never });
/** Signs with another key, or with none. */
const signing = (key: Keypair | null) => (): Partial<OfframpWallet> => ({
  async signTransaction(xdr, { networkPassphrase }) {
    const transaction = TransactionBuilder.fromXDR(xdr, networkPassphrase);
    if (key !== null) transaction.sign(key);
    return { signedTxXdr: transaction.toXDR() };
  },
});
const stranger = Keypair.random();

describe('an off-ramp that cannot go on says why, and what is known of the money, where', () => {
  it.each<[string, Around, object]>([
    [
      'the wallet resolves to an error',
      { wallet: resolving({ signedTxXdr: '', error: { code: -4 } }) },
      { code: 'wallet_refused', moneyMoved: 'no' },
    ],
    [
      'the wallet resolves to an Error',
      { wallet: resolving(new Error('declined')) },
      { code: 'wallet_refused', moneyMoved: 'no' },
    ],
    [
      'the wallet resolves to nothing',
      { wallet: resolving(undefined) },
      { code: 'wallet_refused', moneyMoved: 'no' },
    ],
    ['the wallet signs nothing', { wallet: signing(null) }, { code: 'signature_missing', moneyMoved: 'no' }],
    [
      'the wallet signs with another key',
      { wallet: signing(stranger) },
      { code: 'signature_missing', moneyMoved: 'no' },
    ],
    [
      'the wallet is of another account',
      { wallet: () => ({ getAddress: async () => ({ address: stranger.publicKey() }) }) },
      { code: 'other_account', detail: stranger.publicKey(), moneyMoved: 'no' },
    ],
    [
      'the wallet signs another transaction',
      { wallet: resolving({ signedTxXdr: challengeOf(challengeParts).toXDR() }) },
      { code: 'wallet_changed_transaction', moneyMoved: 'no' },
    ],
    ...[{ withdraw_memo: '8' }, { amount_in: '99' }, { withdraw_anchor_account: stranger.publicKey() }].map(
      (record): [string, Around, object] => [
        `the anchor has changed what it asks for: ${JSON.stringify(record)}`,
        { from: 'attached', at: 'instructed', become: { record } },
        { code: 'instructions_changed', moneyMoved: 'no' },
      ],
    ),
    [
      'another run takes the place while the wallet signs',
      {
        wallet: ({ spend, wallet }) => ({
          signTransaction: (...args) => {
            spend();
            return wallet.signTransaction(...args);
          },
        }),
      },
      { code: 'sequence_taken', moneyMoved: 'unknown' },
    ],
    [
      'the ledger is of another network',
      { knobs: { network: 'Another network' } },
      { code: 'wrong_network', detail: 'Another network' },
    ],
    [
      'the state is of another network, on which the payment may be',
      { options: { networkPassphrase: 'Another' } },
      { code: 'wrong_network', moneyMoved: 'unknown' },
    ],
    [
      'the ledger closes no ledger any more',
      { knobs: { frozen: true } },
      { code: 'ledger_unavailable', moneyMoved: 'unknown' },
    ],
    [
      'the ledger does not say how far back it looked',
      { knobs: { range: { oldestLedgerCloseTime: null } } },
      { code: 'ledger_unavailable', moneyMoved: 'no' },
    ],
    [
      'the ledger closes in no known year',
      { knobs: { range: { latestLedgerCloseTime: '9e12' } } },
      { code: 'ledger_unavailable', moneyMoved: 'no' },
    ],
    [
      'the ledger has a number below zero',
      { knobs: { range: { latestLedger: -1 } } },
      { code: 'ledger_unavailable', moneyMoved: 'no' },
    ],
    [
      'neither service nor anchor answers after the payment',
      { at: 'reported', become: noAnswer, paid: 1 },
      { code: 'service_unavailable', moneyMoved: 'yes' },
    ],
    [
      'the intent follows another withdrawal',
      { knobs: { transaction: { id: 'another' } } },
      { code: 'not_followed', detail: 'other_transaction', moneyMoved: 'no' },
    ],
    [
      'the withdrawal was passed to another intent',
      { knobs: lost },
      { code: 'not_followed', detail: 'passed_to_another', moneyMoved: 'no' },
    ],
    [
      'the intent has expired',
      { knobs: { outcome: { status: 'expired', reason: 'never_funded', amountOut: null } } },
      { code: 'not_followed', detail: 'never_funded', moneyMoved: 'no' },
    ],
    [
      'the withdrawal is lost just before the payment is built',
      { from: 'attached', at: 'instructed', become: lost },
      { code: 'not_followed', moneyMoved: 'no' },
    ],
    [
      'the withdrawal is lost just before the payment is signed',
      { from: 'attached', at: 'paying', become: lost },
      { code: 'not_followed', moneyMoved: 'no' },
    ],
    [
      'nobody completes the form',
      { from: 'attached', knobs: { status: 'incomplete' }, options: { formPatienceMs: 60_000 } },
      { code: 'form_not_completed', moneyMoved: 'no', resumable: true, state: { step: 'attached' } },
    ],
    [
      'its signal aborts',
      { options: { signal: AbortSignal.abort(new Error('the page closes')) } },
      { code: 'aborted', moneyMoved: 'no', resumable: true, cause: { message: 'the page closes' } },
    ],
    [
      'something fails that nobody foresaw',
      { options: { wait: () => Promise.reject(new TypeError('a fault')) }, paid: 1 },
      { code: 'unexpected', moneyMoved: 'unknown', state: { step: 'paying' }, cause: { message: 'a fault' } },
    ],
  ])('%s', async (_name, around, told) => {
    expect((await ending(around)).ended).toMatchObject(told);
  });

  it.each([
    [
      'withdrawal_ended',
      'unknown',
      'completed refunded pending_external pending_user_transfer_complete error',
    ],
    ['withdrawal_ended', 'no', 'expired too_small too_large no_market'],
    ['payment_not_asked', 'unknown', 'pending_anchor pending_stellar on_hold a_word_of_its_own'],
  ])(
    'the record no longer asks for the payment: `%s`, money moved: %s, at %s',
    async (code, moneyMoved, statuses) => {
      for (const status of statuses.split(' ')) {
        const { ended, last, world } = await ending({ knobs: { status } });
        expect(ended).toMatchObject({
          code,
          detail: status,
          moneyMoved,
          resumable: code === 'payment_not_asked',
        });
        if (code !== 'payment_not_asked') continue;
        world.knobs.status = 'pending_user_transfer_start';
        await world.run(last, { waits: 3 });
        expect(world.paid).toHaveLength(1);
      }
    },
  );

  it.each([
    ['options.rpcUrl', { rpcUrl: 'no address' }],
    ['options.open', { open: undefined as never }],
    ['options.maxFeeStroops', { maxFeeStroops: '0.1' }],
    ['options.pollMs', { pollMs: Number.NaN }],
    ['options.patienceMs', { patienceMs: -1 }],
  ])('%s cannot be used, before anything is asked', async (detail, options) => {
    const { ended } = await ending({ options });
    expect(ended).toMatchObject({ code: 'arguments_invalid', detail, moneyMoved: 'no' });
  });

  it('the state is none of this version', async () => {
    const { ended } = await smallWorld().run({ version: 2, step: 'paid' } as never);
    expect(ended).toMatchObject({ code: 'state_invalid', moneyMoved: 'unknown', state: null });
  });

  it.each([
    ['withdrawal_ended', 'no', false],
    ['sequence_taken', 'unknown', false],
    ['wallet_refused', 'no', true],
    ['anchor_error', 'yes', true],
  ] as const)('it ended as `%s`, and whether it is of use to resume', (code, moneyMoved, resumable) => {
    expect(new OfframpError(code, { moneyMoved, state: stored.instructed }).resumable).toBe(resumable);
    expect(new OfframpError(code, { moneyMoved, state: null }).resumable).toBe(false);
  });
});

describe('after the payment', () => {
  it.each([
    [409, 'TRANSACTION_CONFLICT'],
    [404, 'UNKNOWN_INTENT'],
    [503, 'NOT_READY'],
  ])('an answer %i of the service does not keep the payout from being seen', async (...serviceAnswers) => {
    const become = { serviceAnswers, status: 'completed' };
    const { ended } = await ending({ at: 'paid', become, paid: 1 });
    expect(ended).toMatchObject({ state: { step: 'ended' }, intent: null });
  });

  it.each(['expired', 'too_small', 'no_market'])(
    'it ends, to be resumed, where the anchor last says %s',
    async (status) => {
      const { ended } = await ending({ at: 'reported', become: { status }, paid: 1 });
      expect(ended).toMatchObject({
        code: 'not_paid_out',
        detail: status,
        moneyMoved: 'yes',
        resumable: true,
      });
    },
  );

  it.each([
    ['iso4217:NGN', '5'],
    ['stellar:native', null],
  ])(
    'what is paid out in %s counts as %s: only the currency that was quoted is fiat',
    async (asset, amountOut) => {
      const record = { amount_out: '5', amount_out_asset: 'iso4217:NGN' };
      const become = { status: 'completed', record: { ...record, amount_out_asset: asset } };
      const { ended } = await ending({ knobs: { record }, at: 'reported', become, paid: 1 });
      expect(ended).toMatchObject({ amountOut });
    },
  );

  it('it is resumed to its payout after the service had given it up', async () => {
    const outcome = { status: 'failed', reason: 'overdue', amountOut: null };
    const { ended, last, world } = await ending({ at: 'reported', become: { outcome }, paid: 1 });
    expect(ended).toMatchObject({ code: 'not_paid_out', resumable: true, state: { step: 'ended' } });
    world.knobs.outcome = { status: 'settled', reason: 'recovered', amountOut: '150000' };
    const { ended: after } = await world.run((ended as OfframpError).state ?? last);
    expect(after).toMatchObject({ amountOut: '150000' });
  });
});
