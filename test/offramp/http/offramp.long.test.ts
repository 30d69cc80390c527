import { afterEach, describe, expect, it } from '@jest/globals';
import type { Ending } from '../../../scripts/simulated-anchors/index.js';
import { simulatedNetwork } from '../../../scripts/simulated-ledger/payments.js';
import { challengeOf, challengeParts } from '../../fixtures/offramp/challenges.js';
import {
  offrampFixture,
  resume,
  start,
  stopped,
  type TestWallet,
} from '../../fixtures/offramp/offramp-fixture.js';

const fixture = await offrampFixture();
const { intents } = fixture;
const harbour = () => intents.anchors.anchor('harbour');

afterEach(() => {
  for (const route of ['GET /auth', 'GET /sep24/transaction']) harbour().override(route, null);
  intents.ledger.setFaults({ rpc: { away: false, retainMs: null } });
});

describe('an off-ramp', () => {
  it('goes from a quote to the payout in one call, is paid once, and counts for the anchor', async () => {
    const buyer = fixture.wallet({ options: { minReceive: '1000' } });
    const { state, intent, amountOut } = await start(buyer, { deliveryMethod: 'bank_account' });
    const before = ['authenticated', 'registered', 'started', 'attached', 'instructed'];
    const steps = [...before, 'paying', 'paying', 'paid', 'reported', 'ended'];
    expect(buyer.states.map(({ step }) => step)).toEqual(steps);
    const [payment, ...others] = await fixture.paymentsOf(buyer.account);
    expect(others).toEqual([]);
    expect(payment).toMatchObject({ to: harbour().context.receivingAccount, amount: '100.0000000' });
    expect(payment?.hash).toBe(state.payment.hash);
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

it('before the wallet signs refuses the challenge of another server, and asks the wallet for nothing', async () => {
  const buyer = fixture.wallet();
  const transaction = challengeOf(challengeParts).toXDR();
  harbour().override('GET /auth', (_request, response) => {
    response.end(JSON.stringify({ transaction, network_passphrase: simulatedNetwork }));
  });
  const error = await stopped(start(buyer));
  expect(error).toMatchObject({ code: 'challenge_invalid', detail: 'source', moneyMoved: 'no' });
  expect(buyer.signed()).toBe(0);
});

describe('a withdrawal that comes to nothing', () => {
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

  it('that the anchor keeps silent about ends as not paid out, on the word of the ledger', async () => {
    const buyer = fixture.wallet({ ending: 'vanish', options: { pollMs: 3_600_000 } });
    const error = await stopped(start(buyer));
    expect(error).toMatchObject({ code: 'not_paid_out', detail: 'overdue', moneyMoved: 'yes' });
  });
});

describe('a party that is away for a while', () => {
  /** Answers every request with this for some milliseconds of the test's time, after each step. */
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

  it('keeps the payment unknown where the ledger went away, until resuming finds it', async () => {
    const buyer = fixture.wallet({ options: { patienceMs: 10_000 } });
    const { onState } = buyer.options;
    buyer.options.onState = (state) => {
      if (state.step === 'paying' && state.payment.signed) intents.ledger.setFaults({ rpc: { away: true } });
      return onState?.(state);
    };
    const error = await stopped(start(buyer));
    const state = { step: 'paying' };
    expect(error).toMatchObject({ code: 'ledger_unavailable', moneyMoved: 'unknown', state });
    intents.ledger.setFaults({ rpc: { away: false } });
    delete buyer.options.onState;
    expect((await resume(buyer)).intent?.status).toBe('settled');
    expect(await fixture.paymentsOf(buyer.account)).toHaveLength(1);
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
