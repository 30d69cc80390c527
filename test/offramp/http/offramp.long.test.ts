import { afterEach, describe, expect, it } from '@jest/globals';
import { Keypair } from '@stellar/stellar-base';
import { startOfframp } from '../../../contract/offramp/index.js';
import { simulatedNetwork } from '../../../scripts/simulated-ledger/payments.js';
import { brokenChallenges } from '../../fixtures/offramp/challenges.js';
import { offrampFixture, quote, resume, start, stopped } from '../../fixtures/offramp/offramp-fixture.js';
import { expectFor } from '../../support/expect-for.js';

const fixture = offrampFixture();
const { intents } = fixture;
const harbour = () => intents.anchors.anchor('harbour');
const toml = 'GET /.well-known/stellar.toml';
const interactive = 'POST /sep24/transactions/withdraw/interactive';

afterEach(() => {
  for (const route of ['GET /auth', toml, interactive]) harbour().override(route, null);
});

describe('an off-ramp', () => {
  it('goes from a quote to the payout in one call, is paid once, and counts for the anchor', async () => {
    const buyer = fixture.wallet({ options: { minReceive: '1000' } });
    const { state, intent, amountOut } = await start(buyer, { deliveryMethod: 'bank_account' });
    expect(buyer.states.map(({ step }) => step)).toEqual([
      'authenticated',
      'registered',
      'started',
      'attached',
      'instructed',
      'paying',
      'paying',
      'paid',
      'reported',
      'ended',
    ]);
    const [payment, ...others] = await fixture.paymentsOf(buyer.account);
    expect(others).toEqual([]);
    expect(payment).toMatchObject({ to: harbour().context.receivingAccount, amount: '100.0000000' });
    expect(payment?.transaction_hash).toBe(state.payment.hash);
    expect(intent).toMatchObject({
      status: 'settled',
      payment: { found: { hash: state.payment.hash, lookedUpIn: 'rpc' } },
      outcome: { reason: 'completed', evidence: 'ledger', scored: true },
    });
    expect(amountOut).toBe(intent?.outcome?.amountOut);
    // The wallet signs once for the token and once for the payment.
    expect(buyer.signed()).toBe(2);
    const [url = ''] = buyer.opened;
    expect(new URL(url).searchParams.get('on_change_callback')).toBe(intent?.statusCallbackUrl);
  });

  it('goes through an anchor that grants the service no token, by its callbacks', async () => {
    const { intent } = await start(fixture.wallet(), { corridor: 'usdc-zar', anchorId: 'windlass' });
    expect(intent).toMatchObject({ status: 'settled', outcome: { scored: true, evidence: 'ledger' } });
  });

  it('is told to be impossible at an anchor without SEP-24', async () => {
    const error = await stopped(start(fixture.wallet(), { anchorId: 'lighter' }));
    expect(error).toMatchObject({ code: 'not_offered', moneyMoved: 'no', state: null });
  });

  it('that the service refuses says its code, and is not paid', async () => {
    const buyer = fixture.wallet({ options: { minReceive: '9000000' } });
    const error = await stopped(start(buyer));
    expect(error).toMatchObject({ code: 'service_refused', detail: 'QUOTE_BELOW_MINIMUM', moneyMoved: 'no' });
    expect(await fixture.paymentsOf(buyer.account)).toEqual([]);
  });
});

describe('before the wallet signs', () => {
  it('refuses every broken challenge, and asks the wallet for nothing', async () => {
    const { homeDomain, seed } = {
      homeDomain: new URL(harbour().origin).host,
      seed: harbour().context.signingKey.seed,
    };
    const buyer = fixture.wallet();
    const parts = {
      server: Keypair.fromRawEd25519Seed(Buffer.from(seed)),
      account: buyer.account,
      homeDomain,
      webAuthDomain: homeDomain,
      networkPassphrase: simulatedNetwork,
      nowMs: intents.now(),
    };
    for (const [name, fault, transaction] of brokenChallenges(parts)) {
      harbour().override('GET /auth', (_request, response) => {
        response.end(JSON.stringify({ transaction, network_passphrase: simulatedNetwork }));
      });
      const error = await stopped(start(buyer));
      expectFor(name, error).toMatchObject({ code: 'challenge_invalid', detail: fault, moneyMoved: 'no' });
    }
    expect(buyer.signed()).toBe(0);
  });

  it('refuses a stellar.toml with another key, of another network, without an address, or that is none', async () => {
    const text = await (await fetch(`${harbour().origin}/.well-known/stellar.toml`)).text();
    const stranger = intents.anchors.anchor('windlass').signingKey;
    const cases: [string, string][] = [
      ['signing_key_mismatch', text.replace(harbour().signingKey, stranger)],
      ['wrong_network', text.replace(simulatedNetwork, 'Another network')],
      ['toml_invalid', text.replace(/"http[^"]*\/auth"/, '"javascript:alert(1)"')],
      ['not_offered', text.replace('WEB_AUTH_ENDPOINT', 'WEB_AUTH')],
      ['toml_invalid', '<html>'],
    ];
    const buyer = fixture.wallet();
    for (const [code, changed] of cases) {
      harbour().override(toml, (_request, response) => void response.end(changed));
      expect(await stopped(start(buyer))).toMatchObject({ code, moneyMoved: 'no' });
    }
    expect(buyer.signed()).toBe(0);
  });

  it('says that the wallet refused, and takes no other transaction for the one it asked to sign', async () => {
    const buyer = fixture.wallet();
    const refusing = { ...buyer.wallet, signTransaction: () => Promise.reject(new Error('declined')) };
    const declined = await stopped(startOfframp(quote, refusing, buyer.options));
    expect(declined).toMatchObject({ code: 'wallet_refused', moneyMoved: 'no' });
    expect(declined.cause).toMatchObject({ message: 'declined' });
    const other = brokenChallenges({
      server: Keypair.random(),
      account: buyer.account,
      homeDomain: 'a.example',
      webAuthDomain: 'a.example',
      networkPassphrase: simulatedNetwork,
      nowMs: intents.now(),
    });
    const changing = { ...buyer.wallet, signTransaction: async () => ({ signedTxXdr: other[0]?.[2] ?? '' }) };
    const changed = await stopped(startOfframp(quote, changing, buyer.options));
    expect(changed).toMatchObject({ code: 'wallet_changed_transaction', moneyMoved: 'no' });
  });
});

describe('an anchor that asks for something else', () => {
  it.each([
    ['more than the quote', { amount_in: '101' }, 'amount_above_quote'],
    ['another asset', { amount_in_asset: 'stellar:native' }, 'asset'],
    ['a memo of a type that is none', { withdraw_memo_type: 'return' }, 'memo_type'],
  ])('%s is not paid', async (_name, fields, detail) => {
    const buyer = fixture.wallet();
    const { onState } = buyer.options;
    buyer.options.onState = (state) => {
      if (state.step === 'attached') harbour().amend(state.withdrawal.id, fields);
      return onState?.(state);
    };
    const error = await stopped(start(buyer));
    expect(error).toMatchObject({ code: 'payment_refused', detail, moneyMoved: 'no' });
    expect(await fixture.paymentsOf(buyer.account)).toEqual([]);
  });

  it.each([
    [
      'account',
      () => ({ withdraw_anchor_account: intents.anchors.anchor('windlass').context.receivingAccount }),
    ],
    ['memo', () => ({ withdraw_memo: '7' })],
    ['amount', () => ({ amount_in: '99' })],
  ])('another %s after it was checked is not paid, now or after a closed tab', async (_name, fields) => {
    const buyer = fixture.wallet();
    const { onState } = buyer.options;
    buyer.options.onState = (state) => {
      if (state.step === 'instructed') harbour().amend(state.withdrawal.id, fields());
      return onState?.(state);
    };
    expect(await stopped(start(buyer))).toMatchObject({ code: 'instructions_changed', moneyMoved: 'no' });
    expect(await stopped(resume(buyer))).toMatchObject({ code: 'instructions_changed', moneyMoved: 'no' });
    expect(await fixture.paymentsOf(buyer.account)).toEqual([]);
  });
});
