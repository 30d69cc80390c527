import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { rateLimitClasses } from '../../../contract/rate-limits.js';
import type { QuoteSort, RatesAnswer } from '../../../contract/schemas/rates.js';
import { rankQuotes } from '../../../server/features/rates/ranking.rules.js';
import { expectedReceive, expectedRecord, worthOf } from '../../../server/features/rates/worth.rules.js';
import { testApp } from '../../support/app.js';
import { waitFor } from '../../support/wait-for.js';

const { points } = rateLimitClasses.newAmounts;
let passedMs = 0;
let clients = 0;
const app = await testApp({ world: { clock: () => Date.now() + passedMs } });

beforeEach(() => {
  // An anchor is called at most twelve times a second for amounts that nobody asked for lately.
  passedMs += 1_100;
});
afterEach(() => {
  for (const each of app.simulated.anchors) each.override('*', null);
});

interface Refusal {
  code?: string;
  retryAfter?: number;
  details?: { path: string }[];
}

function fail(status: number, body = '') {
  for (const each of app.simulated.anchors)
    each.override('*', (_req, res) => void res.writeHead(status).end(body));
}

describe('200', () => {
  it('ranks quotes for the reference amount without a query, labelled simulated', async () => {
    // On a busy machine an anchor may take longer than its two seconds at first, and is asked again.
    const { status, body, headers } = await waitFor(
      async () => {
        const answer = await get('');
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
    // All that the worth of a quote is computed from is shown, so that anyone can compute it again.
    for (const quote of body.quotes) {
      const record = expectedRecord(quote.reputation, body.typical);
      expect(quote.expectedReceive).toBe(expectedReceive(quote.receiveAmount, record, 2));
      const worth = worthOf(quote.expectedReceive, record, { speedTargetSeconds: 600, decimals: 2 });
      expect(quote.worth).toBe(worth);
    }
  });

  it('quotes the amount and the delivery method that are asked for, in any case, and answers in its own', async () => {
    const { body } = await get('amount=250.50&deliveryMethod=BANK_Account', undefined, 'USDC-Ngn');
    expect(body).toMatchObject({ corridor: 'usdc-ngn', amount: '250.5' });
    expect(new Set(body.quotes.map((quote) => quote.deliveryMethod))).toEqual(new Set(['bank_account']));
    expect(body.unavailable).toContainEqual({ anchorId: 'ferry', reason: 'not_served' });
  });

  it.each(['best', 'receive', 'score', 'speed'] as QuoteSort[])(
    'lists the quotes by ?sort=%s',
    async (sort) => {
      const { body } = await get(`sort=${sort}`);
      expect(body.quotes).toEqual(rankQuotes(body.quotes, sort));
      expect(body.best).toEqual({ anchorId: rankQuotes(body.quotes)[0]?.anchorId });
    },
  );

  it('tells for ?receive= how much stablecoin each anchor takes for the payout', async () => {
    const { body } = await get('receive=150000');
    expect(body).toMatchObject({ receive: '150000.00', amount: body.quotes[0]?.sellAmount });
    // Quotes by the current version of SEP-38, by the old one, and by an estimate.
    const ids = body.quotes.map(({ anchorId }) => anchorId);
    expect(ids).toEqual(expect.arrayContaining(['harbour', 'galleon', 'ferry']));
    for (const { receiveAmount, adjusted, sellAmount, cost } of body.quotes) {
      expect({ receiveAmount, adjusted }).toEqual({ receiveAmount: '150000.00', adjusted: false });
      expect(Math.abs(Number(sellAmount) - 100)).toBeLessThan(10);
      expect(cost).not.toBeNull();
    }
    expect(body.quotes).toEqual(rankQuotes(body.quotes));
  });

  it('marks a quote as adjusted where the anchor sells in lots and pays out more than ?receive= asks', async () => {
    const { body } = await get('receive=5000', undefined, 'usdc-mxn');
    const windlass = body.quotes.find(({ anchorId }) => anchorId === 'windlass');
    expect(windlass).toMatchObject({ sellAmount: '325.2', adjusted: true });
    expect(Number(windlass?.receiveAmount)).toBeGreaterThan(5_000);
  });

  it('keeps answers to ?receive= apart from those to ?amount=, and asks an anchor once for each', async () => {
    const harbour = app.simulated.anchor('harbour');
    harbour.seen.length = 0;
    const sold = await get('amount=9999');
    const [received, again] = await Promise.all([get('receive=99990.0'), get('receive=99990')]);
    expect(sold.body).toMatchObject({ amount: '9999', receive: null });
    expect(received.body.receive).toBe('99990.00');
    expect(again.body).toEqual(received.body);
    const asked = harbour.seen.flatMap(({ url }) =>
      new URL(url, 'http://x').searchParams.getAll('buy_amount'),
    );
    expect(asked).toEqual(['99990']);
  });

  it('lists an anchor that demands a sell_amount as receive_unsupported', async () => {
    const refusal = '{"error":"sell_amount is required"}';
    app.simulated.anchor('harbour').override('*', (_req, res) => void res.writeHead(400).end(refusal));
    const { body } = await get('receive=160000');
    expect(body.unavailable).toContainEqual({ anchorId: 'harbour', reason: 'receive_unsupported' });
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
    'amount=1234567890123456789012345678901234567890',
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
    const { status, body } = await get(query);
    expect([status, body.code]).toEqual([400, 'INVALID_REQUEST']);
    expect(body.details?.[0]?.path).toMatch(/^query/);
  });

  it.each(['usdc', 'usdc-ngn-', 'usdc-ngn-ngn', '..%2f..', '%24ne'])('for the corridor %s', async (id) => {
    const { status, body } = await get('', undefined, id);
    expect([status, body.details?.[0]?.path]).toEqual([400, 'path.corridor']);
  });
});

describe('404 and 422', () => {
  it.each([
    ['usdc-zzz', '', 404, 'UNKNOWN_CORRIDOR', undefined],
    ['usdc-ngn', 'deliveryMethod=pigeon', 422, 'UNSUPPORTED_PAIR', 'query.deliveryMethod'],
    ['usdc-ngn', 'amount=9.9999999', 422, 'AMOUNT_OUT_OF_RANGE', 'query.amount'],
    ['usdc-ngn', 'amount=10000.0000001', 422, 'AMOUNT_OUT_OF_RANGE', 'query.amount'],
    // It takes less than the least amount of the corridor at every anchor.
    ['usdc-eur', 'receive=7', 422, 'AMOUNT_OUT_OF_RANGE', 'query.receive'],
  ])('of %s for ?%s', async (corridor, query, status, code, path) => {
    const { status: found, body } = await get(query, undefined, corridor);
    expect([found, body.code, body.details?.[0]?.path]).toEqual([status, code, path]);
  });
});

describe('503', () => {
  // Every anchor of this corridor gives quotes of its own, so no earlier fee can replace them.
  it.each([
    ['with Retry-After where waiting may help', 500, 'error', 5],
    ['without where it does not', 403, 'unauthorized', undefined],
  ] as const)(
    'while no anchor has a quote, with the reasons, %s',
    async (_what, status, reason, retryAfter) => {
      fail(status, '{"error":"forbidden"}');
      const { status: found, body, headers } = await get(`amount=${status}`, undefined, 'usdc-zar');
      expect([found, body.code, body.retryAfter]).toEqual([503, 'RATES_UNAVAILABLE', retryAfter]);
      expect(headers.get('retry-after')).toBe(retryAfter?.toString() ?? null);
      expect(new Set(body.unavailable.map((each) => each.reason))).toEqual(new Set([reason]));
    },
  );
});

describe('429', () => {
  async function askMany(count: number, queryOf: (index: number) => string, client: string) {
    const statuses: number[] = [];
    for (let index = 0; index < count; index += 1) {
      passedMs += 100;
      statuses.push((await get(queryOf(index), client)).status);
    }
    return statuses;
  }
  const allowed = Array(points).fill(200);

  it(`for more than ${points} amounts a minute of one client that nobody asked for lately; what is known is answered`, async () => {
    const client = '198.51.100.40';
    expect(await askMany(points, (index) => `amount=${200 + index}.5`, client)).toEqual(allowed);
    const refused = await get('amount=999.5', client);
    expect(refused.status).toBe(429);
    const retryAfter = Number(refused.headers.get('retry-after'));
    expect(refused.body).toEqual({ code: 'RATE_LIMITED', message: expect.any(String), retryAfter });
    expect(retryAfter).toBeGreaterThanOrEqual(1);
    expect(retryAfter).toBeLessThanOrEqual(60);
    expect(refused.headers.get('x-ratelimit-limit')).toBe(String(points));
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('0');
    const known = [
      '',
      'amount=200.5',
      'amount=229.5000000',
      'sort=speed&amount=210.5',
      'deliveryMethod=cash',
    ];
    for (const query of known) expect((await get(query, client)).status).toBe(200);
    // Another client has its own points, and the amount it asks for becomes known for the first one, too.
    expect((await get('amount=999.5', '198.51.100.41')).status).toBe(200);
    const last = await get('amount=999.5', client);
    expect([last.status, last.headers.get('x-ratelimit-limit')]).toEqual([200, '90']);
  });

  it.each([
    ['payouts', (index: number) => `receive=${300_000 + index}`],
    ['delivery methods', (index: number) => `amount=${400 + index}.25&deliveryMethod=Cash`],
  ])('however the request varies: %s', async (what, queryOf) => {
    expect(await askMany(points + 1, queryOf, `198.51.100.${50 + what.length}`)).toEqual([...allowed, 429]);
  });

  it('once for the spellings of an amount, and for those who ask before the anchors have answered', async () => {
    const client = '198.51.100.60';
    const spelled = ['amount=777.7', 'amount=777.70', 'amount=777.7000000', 'amount=777.7&sort=score'];
    expect(await askMany(spelled.length, (index) => spelled[index] ?? '', client)).toEqual([
      200, 200, 200, 200,
    ]);
    for (let index = 1; index < points; index += 1) {
      passedMs += 100;
      const query = `amount=${600 + index}.75`;
      const answers = await Promise.all([get(query, client), get(query, client)]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    }
    expect((await get('amount=699.75', client)).status).toBe(429);
  });
});

/** Asks for rates; as a new client, unless one is given. */
function get(query: string, client?: string, corridor = 'usdc-ngn') {
  clients += 1;
  const headers = { 'x-forwarded-for': client ?? `203.0.113.${clients % 250}` };
  const path = `/api/rates/${corridor}${query === '' ? '' : `?${query}`}`;
  return app.client.request<RatesAnswer & Refusal>('GET', path, { headers });
}
