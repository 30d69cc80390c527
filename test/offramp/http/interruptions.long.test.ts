import { afterEach, describe, expect, it } from '@jest/globals';
import { resumeOfframp } from '../../../contract/offramp/index.js';
import type { Ending } from '../../../scripts/simulated-anchors/index.js';
import {
  offrampFixture,
  resume,
  start,
  stopped,
  type TestWallet,
} from '../../fixtures/offramp/offramp-fixture.js';

const fixture = offrampFixture({ anchors: ['harbour'] });
const { intents } = fixture;
const harbour = () => intents.anchors.anchor('harbour');

afterEach(() => {
  harbour().override('GET /sep24/transaction', null);
  intents.ledger.setFaults({ rpc: { away: false, retainMs: null } });
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

describe('resumeOfframp', () => {
  it('refuses what is no state of this version', async () => {
    const { wallet, options } = fixture.wallet();
    const error = await stopped(resumeOfframp({ version: 2, step: 'paid' } as never, wallet, options));
    expect(error).toMatchObject({ code: 'state_invalid', moneyMoved: 'unknown', state: null });
  });
});
