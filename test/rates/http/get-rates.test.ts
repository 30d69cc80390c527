import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { QuoteSort, RatesAnswer } from '../../../contract/schemas/rates.js';
import { rankQuotes } from '../../../server/features/rates/ranking.rules.js';
import { expectedReceive, expectedRecord, worthOf } from '../../../server/features/rates/worth.rules.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { testDatabase } from '../../support/database.js';
import { waitFor } from '../../support/wait-for.js';

const database = testDatabase();
let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ uri: database.uri });
});
afterAll(() => app.close());
afterEach(() => {
  for (const each of app.simulated.anchors) each.override('*', null);
});

function get<Body = RatesAnswer>(path: string, headers: Record<string, string> = {}) {
  return app.client.request<Body>('GET', path, { headers });
}

describe('200', () => {
  it('ranks quotes for the reference amount without a query, labelled simulated', async () => {
    // On a busy machine an anchor may take longer than its two seconds at first, and is asked again.
    const { status, body, headers } = await waitFor(
      async () => {
        const answer = await get('/api/rates/usdc-ngn');
        expect(answer.body.quotes?.length).toBeGreaterThanOrEqual(5);
        return answer;
      },
      { timeout: 40_000, interval: 1_000 },
    );
    expect(status).toBe(200);
    expect(body).toMatchObject({ corridor: 'usdc-ngn', amount: '100', stale: false });
    expect(body.best).toEqual({ anchorId: body.quotes[0]?.anchorId });
    expect(body.quotes.every((quote) => quote.simulated)).toBe(true);
    expect(headers.get('cache-control')).toMatch(/^private, max-age=\d+$/);
    expect(headers.get('etag')).not.toBeNull();
  });

  it('quotes the requested amount and delivery method', async () => {
    const { body } = await get('/api/rates/usdc-ngn?amount=250.50&deliveryMethod=bank_account');
    expect(body.amount).toBe('250.5');
    expect(body.quotes.length).toBeGreaterThan(0);
    expect(body.quotes.every((quote) => quote.deliveryMethod === 'bank_account')).toBe(true);
    expect(body.unavailable).toContainEqual({ anchorId: 'ferry', reason: 'not_served' });
  });

  it('finds a corridor and a delivery method in any case, and answers in its own', async () => {
    const { status, body } = await get('/api/rates/USDC-Ngn?deliveryMethod=BANK_Account');
    expect(status).toBe(200);
    expect(body.corridor).toBe('usdc-ngn');
    expect(body.quotes.every((quote) => quote.deliveryMethod === 'bank_account')).toBe(true);
  });

  it.each(['best', 'receive', 'score', 'speed'])('lists the quotes by ?sort=%s', async (sort) => {
    const { status, body } = await get(`/api/rates/usdc-ngn?sort=${sort}`);
    expect(status).toBe(200);
    expect(body.quotes).toEqual(rankQuotes(body.quotes, sort as QuoteSort));
    expect(body.best).toEqual({ anchorId: rankQuotes(body.quotes)[0]?.anchorId });
  });

  it('shows all that the worth of a quote is computed from, so that anyone can compute it again', async () => {
    const { body } = await get('/api/rates/usdc-ngn');
    const terms = { speedTargetSeconds: 600, decimals: 2 };
    for (const quote of body.quotes) {
      const record = expectedRecord(quote.reputation, body.typical);
      expect(quote.expectedReceive).toBe(expectedReceive(quote.receiveAmount, record, 2));
      expect(quote.worth).toBe(worthOf(quote.expectedReceive, record, terms));
    }
  });
});

describe('404', () => {
  it('for a well-formed corridor that is not served', async () => {
    const { status, body } = await get('/api/rates/usdc-zzz');
    expect({ status, body }).toMatchObject({ status: 404, body: { code: 'UNKNOWN_CORRIDOR' } });
  });
});

describe('400', () => {
  it.each([
    'amount=0',
    'amount=-1',
    'amount=1e3',
    'amount=NaN',
    'amount=',
    'amount=%2B5',
    'amount=1.00000001',
    `amount=${'1'.repeat(40)}`,
    'amount=1&amount=2',
    'amount[]=1',
    'amount[$ne]=1',
    'receive=0',
    'receive=0.000',
    'receive=1e3',
    'receive=',
    'receive=150000.001',
    'receive=1&receive=2',
    'amount=100&receive=150000',
    'deliveryMethod=',
    'deliveryMethod=a%00b',
    'sort=',
    'sort=cheapest',
    'sort=BEST',
    'sort=best&sort=speed',
    '__proto__=1',
    'unknown=1',
  ])('for ?%s, and names the parameter', async (query) => {
    const { status, body } = await get<{ code: string; details: { path: string }[] }>(
      `/api/rates/usdc-ngn?${query}`,
    );
    expect(status).toBe(400);
    expect(body.code).toBe('INVALID_REQUEST');
    expect(body.details[0]?.path).toMatch(/^query/);
  });

  it.each(['usdc', 'usdc-ngn-', 'usdc-ngn-ngn', '..%2f..', '%24ne'])('for the corridor %s', async (id) => {
    const { status, body } = await get<{ details: { path: string }[] }>(`/api/rates/${id}`);
    expect(status).toBe(400);
    expect(body.details[0]?.path).toBe('path.corridor');
  });
});

describe('422', () => {
  it('for a delivery method that no anchor of the corridor offers', async () => {
    const { status, body } = await get('/api/rates/usdc-ngn?deliveryMethod=pigeon');
    expect({ status, body }).toMatchObject({
      status: 422,
      body: { code: 'UNSUPPORTED_PAIR', details: [{ path: 'query.deliveryMethod' }] },
    });
  });

  it('for an amount outside the limits of the corridor, which the message names', async () => {
    for (const amount of ['9.9999999', '10000.0000001']) {
      const { status, body } = await get(`/api/rates/usdc-ngn?amount=${amount}`);
      expect({ status, body }).toMatchObject({
        status: 422,
        body: { code: 'AMOUNT_OUT_OF_RANGE', details: [{ path: 'query.amount' }] },
      });
    }
  });
});

describe('503', () => {
  it('when no anchor answers and nothing recent is cached, with the reasons and Retry-After', async () => {
    for (const each of app.simulated.anchors)
      each.override('*', (_req, res) => void res.writeHead(500).end());
    // Every anchor of this corridor gives quotes of its own, so no earlier fee can replace them.
    const { status, body, headers } = await get('/api/rates/usdc-zar?amount=777');
    expect({ status, body }).toMatchObject({
      status: 503,
      body: { code: 'RATES_UNAVAILABLE', retryAfter: 5 },
    });
    expect(headers.get('retry-after')).toBe('5');
    const { unavailable } = body as unknown as Pick<RatesAnswer, 'unavailable'>;
    expect(unavailable.length).toBeGreaterThan(0);
    expect(new Set(unavailable.map(({ reason }) => reason))).toEqual(new Set(['error']));
  });

  it('without Retry-After when no anchor will have a quote before somebody changes something', async () => {
    for (const each of app.simulated.anchors)
      each.override('*', (_req, res) => void res.writeHead(403).end('{"error":"forbidden"}'));
    let amount = 778;
    // The earlier tests may have used up the calls of this second.
    await waitFor(
      async () => {
        const { status, body, headers } = await get(`/api/rates/usdc-zar?amount=${amount++}`);
        expect(status).toBe(503);
        expect(body).not.toHaveProperty('retryAfter');
        expect(headers.get('retry-after')).toBeNull();
        expect(new Set(body.unavailable.map(({ reason }) => reason))).toEqual(new Set(['unauthorized']));
      },
      { interval: 1_000 },
    );
  });
});
