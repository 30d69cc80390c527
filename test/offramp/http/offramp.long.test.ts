import { afterEach, describe, expect, it } from '@jest/globals';
import { Keypair } from '@stellar/stellar-base';
import { type OfframpError, resumeOfframp, startOfframp } from '../../../contract/offramp/index.js';
import type { Ending } from '../../../scripts/simulated-anchors/index.js';
import { buildTransaction, simulatedNetwork } from '../../../scripts/simulated-ledger/payments.js';
import { brokenChallenges } from '../../fixtures/offramp/challenges.js';
import { offrampFixture, quote, type TestWallet } from '../../fixtures/offramp/offramp-fixture.js';
import { expectFor } from '../../support/expect-for.js';

const fixture = offrampFixture();
const { intents } = fixture;
const harbour = () => intents.anchors.anchor('harbour');

afterEach(() => {
  for (const anchor of intents.anchors.anchors) {
    for (const route of ['GET /auth', 'POST /auth', '*', 'GET /sep24/transaction', toml, interactive])
      anchor.override(route, null);
  }
  intents.ledger.setFaults({ rpc: { away: false, forgets: false, retainMs: null } });
});

const toml = 'GET /.well-known/stellar.toml';
const interactive = 'POST /sep24/transactions/withdraw/interactive';

/** The error that an off-ramp ends with. */
async function stopped(run: Promise<unknown>): Promise<OfframpError> {
  const error = await run.then(
    () => {
      throw new Error('it was paid out');
    },
    (reason: unknown) => reason as OfframpError,
  );
  if (error.name !== 'OfframpError') throw error;
  return error;
}

const start = ({ wallet, options }: TestWallet, patch = {}) =>
  startOfframp({ ...quote, ...patch }, wallet, options);
const resume = (of: TestWallet) => resumeOfframp(of.stored(), of.wallet, of.options);

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
    // One for the token, one for the payment.
    expect(buyer.signed()).toBe(2);
    const [url = ''] = buyer.opened;
    expect(new URL(url).searchParams.get('on_change_callback')).toBe(intent?.statusCallbackUrl);
  });

  it('goes through an anchor that grants the service no token, by its callbacks', async () => {
    const { intent } = await start(fixture.wallet(), { corridor: 'usdc-zar', anchorId: 'windlass' });
    expect(intent).toMatchObject({ status: 'settled', outcome: { scored: true, evidence: 'ledger' } });
  });

  it('goes through an anchor with old records, which name no assets', async () => {
    const { intent } = await start(fixture.wallet(), { anchorId: 'galleon' });
    expect(intent).toMatchObject({ status: 'settled' });
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

  it('opens no form that is not a web page', async () => {
    harbour().override(interactive, (_request, response) => {
      response.end(
        JSON.stringify({ type: 'interactive_customer_info_needed', id: 'x', url: 'javascript:alert(1)' }),
      );
    });
    const buyer = fixture.wallet();
    expect(await stopped(start(buyer))).toMatchObject({ code: 'anchor_refused', moneyMoved: 'no' });
    expect(buyer.opened).toEqual([]);
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

describe('a withdrawal that comes to nothing', () => {
  it('is given up when nobody completes the form, without a payment, and can be resumed', async () => {
    const buyer = fixture.wallet({ options: { formPatienceMs: 60_000, open: () => undefined } });
    harbour().override('GET /sep24/transaction', (_request, response) => {
      const { id } = (buyer.stored() as { withdrawal?: { id: string } }).withdrawal ?? { id: '' };
      const transaction = { ...harbour().transaction(id), status: 'incomplete' };
      response.end(JSON.stringify({ transaction }));
    });
    const error = await stopped(start(buyer));
    expect(error).toMatchObject({
      code: 'form_not_completed',
      moneyMoved: 'no',
      state: { step: 'attached' },
    });
    harbour().override('GET /sep24/transaction', null);
    const { intent } = await resume(buyer);
    expect(intent?.status).toBe('settled');
  });

  it('is told to be without a form where none can be opened', async () => {
    const buyer = fixture.wallet({ options: { open: () => Promise.reject(new Error('blocked')) } });
    const error = await stopped(start(buyer));
    expect(error).toMatchObject({ code: 'form_not_opened', moneyMoved: 'no', state: { step: 'attached' } });
    expect(error.cause).toMatchObject({ message: 'blocked' });
  });

  it('says so when the anchor closed it before it was paid', async () => {
    const buyer = fixture.wallet();
    const { onState } = buyer.options;
    buyer.options.onState = (state) => {
      if (state.step === 'attached') harbour().amend(state.withdrawal.id, { status: 'expired' });
      return onState?.(state);
    };
    const error = await stopped(start(buyer));
    expect(error).toMatchObject({ code: 'withdrawal_ended', detail: 'expired', moneyMoved: 'no' });
  });

  it.each([
    ['refund', { code: 'refunded', moneyMoved: 'returned', state: { step: 'ended' } }],
    ['fail', { code: 'anchor_error', moneyMoved: 'yes', state: { step: 'reported' } }],
  ] as [Ending, object][])(
    'that the anchor ends as `%s` says whether money has moved',
    async (ending, told) => {
      const buyer = fixture.wallet({ ending });
      expect(await stopped(start(buyer))).toMatchObject(told);
      expect(await fixture.paymentsOf(buyer.account)).toHaveLength(1);
    },
  );

  it('that failed and was paid out after all is resumed to its payout', async () => {
    const buyer = fixture.wallet({ ending: 'recover' });
    expect(await stopped(start(buyer))).toMatchObject({ code: 'anchor_error', moneyMoved: 'yes' });
    await intents.pass(3 * 3_600_000);
    await intents.settle();
    expect((await resume(buyer)).intent?.status).toBe('settled');
  });

  it('that the anchor keeps silent about ends as not paid out, on the word of the ledger', async () => {
    const buyer = fixture.wallet({ ending: 'vanish', options: { pollMs: 3_600_000 } });
    const error = await stopped(start(buyer));
    expect(error).toMatchObject({ code: 'not_paid_out', detail: 'overdue', moneyMoved: 'yes' });
  });

  it('stops where the signal aborts, and goes on from there', async () => {
    const stopping = new AbortController();
    const buyer = fixture.wallet({ options: { signal: stopping.signal } });
    const { onState } = buyer.options;
    buyer.options.onState = (state) => {
      if (state.step === 'instructed') stopping.abort(new Error('the page is closing'));
      return onState?.(state);
    };
    const error = await stopped(start(buyer));
    expect(error).toMatchObject({ code: 'aborted', moneyMoved: 'no', state: { step: 'instructed' } });
    expect(error.cause).toMatchObject({ message: 'the page is closing' });
    const { signal: _, ...options } = buyer.options;
    expect((await resumeOfframp(buyer.stored(), buyer.wallet, options)).intent?.status).toBe('settled');
    expect(await fixture.paymentsOf(buyer.account)).toHaveLength(1);
  });
});

describe('a party that is away for a while', () => {
  /** Answers every request so for some milliseconds of the test's time. */
  function away(buyer: TestWallet, forMs: number, answer: () => Response): void {
    const { onState } = buyer.options;
    let untilMs = 0;
    const service = buyer.options.service;
    const block = <Call extends (...args: never[]) => Promise<unknown>>(call: Call): Call =>
      (async (...args: never[]) => {
        if (intents.now() >= untilMs) return call(...args);
        const { status, headers } = answer();
        if (status === 0) throw new TypeError('fetch failed');
        return { status, headers, body: { code: status === 429 ? 'RATE_LIMITED' : 'NOT_READY' } };
      }) as Call;
    buyer.options.service = {
      anchors: { getAnchor: block(service.anchors.getAnchor) },
      intents: {
        createIntent: block(service.intents.createIntent),
        attachTransaction: block(service.intents.attachTransaction),
        getIntent: block(service.intents.getIntent),
      },
    };
    buyer.options.onState = (state) => {
      untilMs = intents.now() + forMs;
      return onState?.(state);
    };
  }
  const lost = () => Object.defineProperty(new Response(), 'status', { value: 0 });
  const limited = () => new Response(null, { status: 429, headers: { 'retry-after': '20' } });

  it.each([
    ['the service does not answer', lost],
    ['the service answers 429', limited],
  ])('is waited for where %s after every step', async (_name, answer) => {
    const buyer = fixture.wallet();
    away(buyer, 20_000, answer);
    expect((await start(buyer)).intent?.status).toBe('settled');
    expect(await fixture.paymentsOf(buyer.account)).toHaveLength(1);
  });

  it('is given up after a while, with nothing paid, and found again by resuming', async () => {
    const buyer = fixture.wallet({ options: { patienceMs: 10_000 } });
    const { service } = buyer.options;
    away(buyer, 3_600_000, lost);
    const error = await stopped(start(buyer));
    expect(error).toMatchObject({
      code: 'service_unavailable',
      moneyMoved: 'no',
      state: { step: 'authenticated' },
    });
    buyer.options.service = service;
    expect((await resume(buyer)).intent?.status).toBe('settled');
  });

  it('keeps the payment unknown where the ledger went away, until resuming finds it', async () => {
    const buyer = fixture.wallet({ options: { patienceMs: 10_000 } });
    const { onState } = buyer.options;
    buyer.options.onState = (state) => {
      if (state.step === 'paying' && state.payment.signed) intents.ledger.setFaults({ rpc: { away: true } });
      return onState?.(state);
    };
    const error = await stopped(start(buyer));
    expect(error).toMatchObject({
      code: 'ledger_unavailable',
      moneyMoved: 'unknown',
      state: { step: 'paying' },
    });
    intents.ledger.setFaults({ rpc: { away: false } });
    delete buyer.options.onState;
    expect((await resume(buyer)).intent?.status).toBe('settled');
    expect(await fixture.paymentsOf(buyer.account)).toHaveLength(1);
  });

  it('says that nothing is known where the ledger no longer reaches back to the payment', async () => {
    const buyer = fixture.wallet({ options: { patienceMs: 1_000 } });
    const { onState } = buyer.options;
    buyer.options.onState = (state) => {
      if (state.step === 'paying' && state.payment.signed) intents.ledger.setFaults({ rpc: { away: true } });
      return onState?.(state);
    };
    await stopped(start(buyer));
    intents.ledger.setFaults({ rpc: { away: false, retainMs: 60_000 } });
    await intents.pass(3_600_000);
    expect(await stopped(resume(buyer))).toMatchObject({ code: 'payment_unknown', moneyMoved: 'unknown' });
  });

  it('takes a new token where the anchor no longer takes the old one', async () => {
    const buyer = fixture.wallet();
    const { onState } = buyer.options;
    buyer.options.onState = (state) => {
      if (state.step === 'attached') {
        harbour().override('GET /sep24/transaction', (_request, response) => {
          harbour().override('GET /sep24/transaction', null);
          response.writeHead(403).end('{"type":"authentication_required"}');
        });
      }
      return onState?.(state);
    };
    expect((await start(buyer)).intent?.status).toBe('settled');
    expect(buyer.signed()).toBe(3);
    expect(new Set(buyer.states.map(({ token }) => token)).size).toBe(2);
  });
});

describe('a payment', () => {
  function spend(account: string, sequence: string): void {
    const payments = [{ to: harbour().signingKey, amount: '1' }];
    intents.ledger.submit(
      buildTransaction({ source: account, payments, sequence: String(BigInt(sequence) - 1n) }),
    );
  }

  it('that the ledger rejects moves nothing, and is made anew by resuming when its time is over', async () => {
    const buyer = fixture.wallet();
    const { onState } = buyer.options;
    let spent = false;
    buyer.options.onState = (state) => {
      // Another payment of the account takes the sequence number.
      if (state.step === 'paying' && state.payment.signed && !spent) {
        spent = true;
        spend(buyer.account, state.sequence);
      }
      return onState?.(state);
    };
    const error = await stopped(start(buyer));
    expect(error).toMatchObject({ code: 'payment_rejected', detail: 'txBadSeq', moneyMoved: 'no' });
    expect((await resume(buyer)).intent?.status).toBe('settled');
    const paid = await fixture.paymentsOf(buyer.account);
    expect(paid.filter(({ to }) => to === harbour().context.receivingAccount)).toHaveLength(1);
  });

  it('is made once where two tabs go on from the same state', async () => {
    const buyer = fixture.wallet();
    const { onState } = buyer.options;
    buyer.options.onState = (state) => {
      if (state.step === 'instructed') throw new Error('closed');
      return onState?.(state);
    };
    await stopped(start(buyer));
    const state = buyer.stored();
    delete buyer.options.onState;
    const both = await Promise.allSettled([
      resumeOfframp(state, buyer.wallet, buyer.options),
      resumeOfframp(state, buyer.wallet, buyer.options),
    ]);
    expect(both.some(({ status }) => status === 'fulfilled')).toBe(true);
    expect(await fixture.paymentsOf(buyer.account)).toHaveLength(1);
  });

  it('is not made where the state cannot be stored', async () => {
    const buyer = fixture.wallet();
    const { onState } = buyer.options;
    buyer.options.onState = (state) => {
      if (state.step === 'paying' && state.payment.signed) throw new Error('the disk is full');
      return onState?.(state);
    };
    const error = await stopped(start(buyer));
    expect(error).toMatchObject({ code: 'state_not_saved', moneyMoved: 'no', state: { step: 'paying' } });
    expect(error.cause).toMatchObject({ message: 'the disk is full' });
    expect(await fixture.paymentsOf(buyer.account)).toEqual([]);
  });
});

describe('resumeOfframp', () => {
  it('refuses what is no state of this version', async () => {
    const { wallet, options } = fixture.wallet();
    const error = await stopped(resumeOfframp({ version: 2, step: 'paid' } as never, wallet, options));
    expect(error).toMatchObject({ code: 'state_invalid', moneyMoved: 'unknown', state: null });
  });
});
