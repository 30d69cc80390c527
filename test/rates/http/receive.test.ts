import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { RatesAnswer } from '../../../contract/schemas/rates.js';
import { rankQuotes } from '../../../server/features/rates/ranking.rules.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { testDatabase } from '../../support/database.js';

const database = testDatabase();
let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ uri: database.uri });
});
afterAll(() => app.close());
afterEach(() => {
  for (const each of app.simulated.anchors) each.override('*', null);
});

function get<Body = RatesAnswer>(path: string) {
  return app.client.request<Body>('GET', path);
}

// An anchor is called at most ten times per second for amounts that nobody asked for lately.
beforeEach(() => delay(1_100));

describe('200', () => {
  it('tells for ?receive= how much stablecoin each anchor takes for the payout', async () => {
    const { status, body } = await get('/api/rates/usdc-ngn?receive=150000');
    expect(status).toBe(200);
    expect(body.receive).toBe('150000.00');
    expect(body.amount).toBe(body.quotes[0]?.sellAmount);
    // Quotes by the current version of SEP-38, by the old one, and by an estimate.
    const ids = body.quotes.map(({ anchorId }) => anchorId);
    expect(ids).toEqual(expect.arrayContaining(['harbour', 'galleon', 'ferry']));
    for (const { receiveAmount, adjusted, sellAmount, cost } of body.quotes) {
      expect({ receiveAmount, adjusted }).toEqual({ receiveAmount: '150000.00', adjusted: false });
      expect(Number(sellAmount)).toBeGreaterThan(90);
      expect(Number(sellAmount)).toBeLessThan(110);
      expect(cost).not.toBeNull();
    }
    expect(body.quotes).toEqual(rankQuotes(body.quotes));
  });

  it('marks a quote as adjusted where the anchor sells in lots and pays out more than ?receive= asks', async () => {
    const { body } = await get('/api/rates/usdc-mxn?receive=5000');
    const windlass = body.quotes.find(({ anchorId }) => anchorId === 'windlass');
    expect(windlass).toMatchObject({ sellAmount: '325.2', adjusted: true });
    expect(Number(windlass?.receiveAmount)).toBeGreaterThan(5_000);
  });

  it('keeps answers to ?receive= apart from those to ?amount=, and asks an anchor once for each', async () => {
    const harbour = app.simulated.anchor('harbour');
    harbour.resetCalls();
    const sold = await get('/api/rates/usdc-ngn?amount=9999');
    const [received, again] = await Promise.all([
      get('/api/rates/usdc-ngn?receive=99990.0'),
      get('/api/rates/usdc-ngn?receive=99990'),
    ]);
    expect(sold.body).toMatchObject({ amount: '9999', receive: null });
    expect(received.body.receive).toBe('99990.00');
    expect(again.body).toEqual(received.body);
    const asked = harbour.seen.flatMap(({ url }) =>
      new URL(url, 'http://x').searchParams.getAll('buy_amount'),
    );
    expect(asked).toEqual(['99990']);
  });

  it('lists an anchor that demands a sell_amount as receive_unsupported', async () => {
    app.simulated
      .anchor('harbour')
      .override('*', (_req, res) => void res.writeHead(400).end('{"error":"sell_amount is required"}'));
    const { body } = await get('/api/rates/usdc-ngn?receive=160000');
    expect(body.unavailable).toContainEqual({ anchorId: 'harbour', reason: 'receive_unsupported' });
  });
});

describe('422', () => {
  it('that takes less than the least amount of the corridor at every anchor', async () => {
    // The anchors of this corridor neither fail at random nor have outages.
    const { status, body } = await get('/api/rates/usdc-eur?receive=7');
    expect({ status, body }).toMatchObject({
      status: 422,
      body: { code: 'AMOUNT_OUT_OF_RANGE', details: [{ path: 'query.receive' }] },
    });
  });
});
