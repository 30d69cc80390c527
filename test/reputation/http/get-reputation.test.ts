import { describe, expect, it } from '@jest/globals';
import type { RatesAnswer } from '../../../contract/schemas/rates.js';
import type { AnchorReputation, ReputationHistory } from '../../../contract/schemas/reputation.js';
import { createLeases } from '../../../server/mongo/leases.js';
import { reputationHttpFixture } from '../../fixtures/reputation/reputation-over-http.js';
import { silentLogger } from '../../support/silent-logger.js';

const fixture = await reputationHttpFixture();

describe('200 of an anchor', () => {
  it('shows zeros for an anchor that nobody has used yet', async () => {
    await fixture.refresh();
    const { body } = await fixture.get<AnchorReputation>('/api/reputation/lighter');
    expect(body).toMatchObject({
      anchorId: 'lighter',
      status: 'active',
      simulated: true,
      window: 30,
      outcomes: 0,
      fillRate: null,
      score: null,
      state: 'insufficient_data',
    });
    expect(body.corridors.map(({ corridor }) => corridor)).toEqual(['usdc-brl', 'usdc-kes', 'usdc-ugx']);
  });

  it('has a card per corridor, and an overall score from the scored corridors', async () => {
    await fixture.record('harbour', 'usdc-ngn', 100, 96);
    await fixture.record('harbour', 'usdc-kes', 29);
    await fixture.refresh();
    const { body, headers } = await fixture.get<AnchorReputation>('/api/reputation/harbour?window=90');
    const ngn = body.corridors.find(({ corridor }) => corridor === 'usdc-ngn');
    expect(ngn).toMatchObject({
      window: 90,
      outcomes: 100,
      filled: 96,
      accountDays: 100,
      fillRate: '0.960000',
      p50SettleSeconds: 90,
      speedTargetSeconds: 600,
      state: 'scored',
    });
    expect(body).toMatchObject({ outcomes: 129, score: ngn?.score, state: 'scored' });
    expect(headers.get('cache-control')).toMatch(/max-age/);
  });

  it('shows the same reputation as the quotes of the anchor', async () => {
    const { body } = await fixture.get<AnchorReputation>('/api/reputation/harbour');
    const rates = await fixture.get<RatesAnswer>('/api/rates/usdc-ngn?amount=137');
    const quote = rates.body.quotes.find(({ anchorId }) => anchorId === 'harbour');
    const card = body.corridors.find(({ corridor }) => corridor === 'usdc-ngn');
    expect(quote?.reputation).toMatchObject({ score: card?.score, state: 'scored', outcomes: 100 });
  });
});

describe('200 of a history', () => {
  it('has a point per day with an outcome', async () => {
    const { body } = await fixture.get<ReputationHistory>('/api/reputation/harbour/history');
    expect(body).toMatchObject({ anchorId: 'harbour', corridor: null, window: 30, nextCursor: null });
    expect(body.items).toHaveLength(7);
    const sum = (member: 'outcomes' | 'filled') => body.items.reduce((all, point) => all + point[member], 0);
    expect([sum('outcomes'), sum('filled')]).toEqual([129, 125]);
    expect(body.items[0]).toMatchObject({ days90: 7, state: 'scored' });
    const kes = await fixture.get<ReputationHistory>(
      '/api/reputation/harbour/history?corridor=usdc-kes&window=7&limit=1',
    );
    expect(kes.body.items[0]).toMatchObject({ outcomes: 5, score: null, state: 'insufficient_data' });
  });

  it('is empty for an anchor that nobody has used yet', async () => {
    const { body } = await fixture.get<ReputationHistory>('/api/reputation/lighter/history');
    expect(body.items).toEqual([]);
  });
});

describe('400', () => {
  it.each([
    ['/api/reputation/harbour_', 'params.anchor'],
    ['/api/reputation/harbour?window=1', 'query.window'],
    ['/api/reputation/harbour?corridor=usdc-ngn', 'query.corridor'],
    ['/api/reputation/harbour/history?cursor=AAAA', 'query.cursor'],
    ['/api/reputation/harbour/history?limit=x', 'query.limit'],
  ])('for %s', async (path, fault) => {
    const { status, body } = await fixture.get<{ details: { path: string }[] }>(path);
    expect(status).toBe(400);
    expect(body.details[0]?.path).toContain(fault.split('.')[1]);
  });
});

describe('404 UNKNOWN_ANCHOR', () => {
  it.each(['/api/reputation/nobody', '/api/reputation/nobody/history'])('for %s', async (path) => {
    expect(await fixture.get(path)).toMatchObject({ status: 404, body: { code: 'UNKNOWN_ANCHOR' } });
  });
});

describe('200', () => {
  it('accepts an empty body or none, and reports what it did', async () => {
    await fixture.record('harbour', 'usdc-ngn', 40);
    const first = await fixture.refresh();
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({ days: 7, more: false, scored: 3 });
    expect(first.body.anchors).toBe(fixture.app.simulated.fleet.anchors.length);
    expect(Date.parse(first.body.computedAt)).toBeGreaterThanOrEqual(Date.parse(first.body.startedAt));
    expect((await fixture.refresh({ body: {} })).body).toMatchObject({ days: 0, scored: 3 });
    expect(first.headers.get('cache-control')).toBe('no-store');
  });
});

describe('400', () => {
  it('for a body with any member', async () => {
    const { status, body } = await fixture.refresh({ body: { rebuild: true } });
    expect({ status, body }).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
  });
});

describe('409 RUN_IN_PROGRESS', () => {
  it('while another instance runs a refresh, with its start time', async () => {
    const { connection } = fixture.app;
    const elsewhere = createLeases({ connection, owner: 'elsewhere', logger: silentLogger });
    await elsewhere.run('reputation-refresh', 10_000, async () => {
      const { status, body } = await fixture.refresh();
      expect({ status, body }).toMatchObject({ status: 409, body: { code: 'RUN_IN_PROGRESS' } });
      const { startedAt } = body as unknown as { startedAt: string };
      expect(Math.abs(Date.now() - Date.parse(startedAt))).toBeLessThan(10_000);
    });
    expect((await fixture.refresh()).status).toBe(200);
  });
});
