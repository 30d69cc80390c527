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
  const told = (code: string, moneyMoved: string, more: object = {}) => ({ code, moneyMoved, ...more });
  const refused = told('wallet_refused', 'no');
  const away = told('ledger_unavailable', 'no');
  const notFollowed = (detail: string) => told('not_followed', 'no', { detail });
  const code4 = { signedTxXdr: '', error: { code: -4 } };
  const otherXdr = { signedTxXdr: challengeOf(challengeParts).toXDR() };
  const address = stranger.publicKey();
  const expired = { status: 'expired', reason: 'never_funded', amountOut: null };
  const closing = { signal: AbortSignal.abort(new Error('the page closes')) };
  const cause = { message: 'the page closes' };
  const resumed = { resumable: true, state: { step: 'attached' } };
  const other = () => ({ getAddress: async () => ({ address }) });
  const another = { networkPassphrase: 'Another' };
  const silent = { at: 'reported', become: noAnswer, paid: 1 };
  const transaction = { id: 'another' };
  const failing = { wait: () => Promise.reject(new TypeError('a fault')) };
  const unfilled = { knobs: { status: 'incomplete' }, options: { formPatienceMs: 60_000 } };
  const raced = ({ spend, wallet }: SmallWorld): Partial<OfframpWallet> => ({
    signTransaction: (...args) => {
      spend();
      return wallet.signTransaction(...args);
    },
  });
  const becoming = (at: string, become: Partial<Knobs>): Around => ({ from: 'attached', at, become });
  const asking = (record: object): [string, Around, object] => [
    `the anchor has changed what it asks for: ${JSON.stringify(record)}`,
    becoming('instructed', { record } as Partial<Knobs>),
    told('instructions_changed', 'no'),
  ];

  it.each<[string, Around, object]>([
    ['the wallet resolves to an error', { wallet: resolving(code4) }, refused],
    ['the wallet resolves to an Error', { wallet: resolving(new Error('declined')) }, refused],
    ['the wallet resolves to nothing', { wallet: resolving(undefined) }, refused],
    ['the wallet signs nothing', { wallet: signing(null) }, told('signature_missing', 'no')],
    ['the wallet signs with another key', { wallet: signing(stranger) }, told('signature_missing', 'no')],
    ['the wallet is of another account', { wallet: other }, told('other_account', 'no', { detail: address })],
    [
      'the wallet signs something else',
      { wallet: resolving(otherXdr) },
      told('wallet_changed_transaction', 'no'),
    ],
    asking({ withdraw_memo: '8' }),
    asking({ amount_in: '99' }),
    asking({ withdraw_anchor_account: address }),
    ['another run takes the place meanwhile', { wallet: raced }, told('sequence_taken', 'unknown')],
    ['the ledger is of another network', { knobs: { network: 'Another' } }, { code: 'wrong_network' }],
    ['the state is of another network', { options: another }, told('wrong_network', 'unknown')],
    ['no ledger closes any more', { knobs: { frozen: true } }, told('ledger_unavailable', 'unknown')],
    ['how far back it looked is unknown', { knobs: { range: { oldestLedgerCloseTime: null } } }, away],
    ['the ledger closes in no known year', { knobs: { range: { latestLedgerCloseTime: '9e12' } } }, away],
    ['the ledger has a number below zero', { knobs: { range: { latestLedger: -1 } } }, away],
    ['nobody answers after the payment', silent, told('service_unavailable', 'yes')],
    ['the intent follows another withdrawal', { knobs: { transaction } }, notFollowed('other_transaction')],
    ['the withdrawal was passed to another intent', { knobs: lost }, notFollowed('passed_to_another')],
    ['the intent has expired', { knobs: { outcome: expired } }, notFollowed('never_funded')],
    ['it is lost before the payment is built', becoming('instructed', lost), told('not_followed', 'no')],
    ['it is lost before the payment is signed', becoming('paying', lost), told('not_followed', 'no')],
    [
      'nobody completes the form',
      { from: 'attached', ...unfilled },
      told('form_not_completed', 'no', resumed),
    ],
    ['its signal aborts', { options: closing }, told('aborted', 'no', { resumable: true, cause })],
    [
      'something fails that nobody foresaw',
      { options: failing, paid: 1 },
      told('unexpected', 'unknown', { state: { step: 'paying' }, cause: { message: 'a fault' } }),
    ],
  ])('%s', async (_name, around, told) => {
    expect((await ending(around)).ended).toMatchObject(told);
  });

  it.each([
    ['withdrawal_ended', 'unknown', 'completed refunded pending_external error'],
    ['withdrawal_ended', 'unknown', 'pending_user_transfer_complete'],
    ['withdrawal_ended', 'no', 'expired too_small too_large no_market'],
    ['payment_not_asked', 'unknown', 'pending_anchor pending_stellar on_hold a_word_of_its_own'],
  ])(
    'the record no longer asks for the payment: `%s`, money moved: %s, at %s',
    async (code, moneyMoved, statuses) => {
      for (const status of statuses.split(' ')) {
        const { ended, last, world } = await ending({ knobs: { status } });
        const resumable = code === 'payment_not_asked';
        expect(ended).toMatchObject({ code, detail: status, moneyMoved, resumable });
        if (!resumable) continue;
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
      const told = { code: 'not_paid_out', detail: status, moneyMoved: 'yes', resumable: true };
      expect(ended).toMatchObject(told);
    },
  );

  it.each(['iso4217:NGN', 'stellar:native'])(
    '%s is a payout only as the currency that was quoted',
    async (asset) => {
      const record = { amount_out: '5', amount_out_asset: 'iso4217:NGN' };
      const become = { status: 'completed', record: { ...record, amount_out_asset: asset } };
      const { ended } = await ending({ knobs: { record }, at: 'reported', become, paid: 1 });
      expect(ended).toMatchObject({ amountOut: asset === 'stellar:native' ? null : '5' });
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
