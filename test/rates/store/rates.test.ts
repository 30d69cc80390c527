import { describe, expect, it } from '@jest/globals';
import { noRecord } from '../../../server/features/reputation/cards.js';
import { scoredRecord } from '../../fixtures/rates/corridor.js';
import { ngnAnchors, simulatedRates } from '../../fixtures/rates/simulated-rates.js';
import { waitFor } from '../../support/wait-for.js';

const fixture = await simulatedRates();
const { world, start, callsTo, quoteNgn } = fixture;

describe('the rates of a corridor', () => {
  it('show the payout to expect from the record of shortfalls', async () => {
    const scored = await start({
      reputationOf: (anchorId) =>
        anchorId === 'harbour' ? scoredRecord({ meanShortfall: '0.010000000' }) : noRecord,
    });
    const { answer } = await scored.rates.quote('usdc-ngn', {});
    const harbour = answer.quotes.find((quote) => quote.anchorId === 'harbour');
    expect(harbour?.reputation).toEqual(scoredRecord({ meanShortfall: '0.010000000' }));
    expect(Number(harbour?.expectedReceive)).toBeCloseTo(Number(harbour?.receiveAmount) * 0.99, 1);
    // An anchor without a record is expected to fall short as the typical anchor does.
    const ferry = answer.quotes.find((quote) => quote.anchorId === 'ferry');
    expect(Number(ferry?.expectedReceive)).toBeCloseTo(Number(ferry?.receiveAmount) * 0.99, 1);
    expect(answer.typical).toEqual({
      anchors: 1,
      fillRate: '0.987864',
      p50SettleSeconds: 43,
      meanShortfall: '0.010000000',
    });
  });

  it('name the same best anchor in every order, and ask nobody again for another order', async () => {
    const slow = { p50SettleSeconds: 1_900, p95SettleSeconds: 2_600, score: '10.70' };
    const recorded = await start({
      reputationOf: (anchorId) =>
        ngnAnchors.includes(anchorId) ? scoredRecord(anchorId === 'slowboat' ? slow : {}) : noRecord,
    });
    const first = (await recorded.rates.quote('usdc-ngn', {})).answer;
    const asked = callsTo('slowboat');
    const byReceive = (await recorded.rates.quote('usdc-ngn', { sort: 'receive' })).answer;
    const bySpeed = (await recorded.rates.quote('usdc-ngn', { sort: 'speed' })).answer;
    // It has the highest promise, but is slow.
    expect(byReceive.quotes[0]?.anchorId).toBe('slowboat');
    expect(first.quotes[0]?.anchorId).not.toBe('slowboat');
    expect(bySpeed.quotes.at(-1)?.anchorId).toBe('slowboat');
    expect([first.best, byReceive.best, bySpeed.best]).toEqual(
      Array(3).fill({ anchorId: first.quotes[0]?.anchorId }),
    );
    expect(callsTo('slowboat')).toBe(asked);
  });
});

describe('the quote of one anchor', () => {
  it('is requested from that anchor alone, and shares the cache of the rates', async () => {
    const from = await fixture.service.rates.quoteFrom('usdc-ngn', 'harbour', '120', 'bank_account');
    expect(from).toMatchObject({ quote: { tier: 'anchor', sellAmount: '120' } });
    expect([callsTo('harbour'), callsTo('tidewater')]).toEqual([1, 0]);
    const answer = await quoteNgn({ amount: '120', deliveryMethod: 'bank_account' });
    expect(answer.quotes.find(({ anchorId }) => anchorId === 'harbour')).toMatchObject(from.quote ?? {});
    expect(callsTo('harbour')).toBe(1);
  });

  it.each([
    ['an unknown corridor', 'usdc-zzz', 'harbour', '100', undefined, 'not_served'],
    ['an anchor that does not serve it', 'usdc-ngn', 'windlass', '100', undefined, 'not_served'],
    ['a delivery method it does not offer', 'usdc-ngn', 'harbour', '100', 'cash', 'not_served'],
    ['an amount out of range', 'usdc-ngn', 'harbour', '1', undefined, 'refused_amount'],
  ] as const)('is null, with the reason, for %s', async (_name, corridor, anchor, amount, method, reason) => {
    expect(await fixture.service.rates.quoteFrom(corridor, anchor, amount, method)).toEqual({
      quote: null,
      reason,
      retryAfter: undefined,
    });
  });
});

describe('the cost of quotes', () => {
  it('is given against the reference rate, by its name and date, and an estimate costs its fee', async () => {
    const answer = await quoteNgn();
    expect(answer.quotes.map(({ anchorId }) => anchorId).sort()).toEqual([...ngnAnchors].sort());
    const ferry = answer.quotes.find(({ anchorId }) => anchorId === 'ferry');
    expect(ferry?.cost?.percent).toBe('2.00');
    const rate = ferry?.estimate?.fxRate ?? '';
    for (const { cost, costUnavailable, receiveAmount } of answer.quotes) {
      expect(costUnavailable).toBeNull();
      expect(cost?.reference).toEqual({ rate, source: 'simulated market', date: ferry?.estimate?.fxDate });
      expect(Number(cost?.percent)).toBeCloseTo(100 - Number(receiveAmount) / Number(rate), 2);
    }
  });

  it('is null with the reason where the reference is not configured, cannot be read, or is stale', async () => {
    const without = await start({ fxUrl: undefined });
    const harbourOf = async (service: typeof without) =>
      (await service.rates.quote('usdc-ngn', {})).answer.quotes.find(
        ({ anchorId }) => anchorId === 'harbour',
      );
    expect(await harbourOf(without)).toMatchObject({ cost: null, costUnavailable: 'no_reference' });
    fixture.simulated.fx.override('*', (_req, res) => void res.writeHead(500).end());
    expect(await harbourOf(await start())).toMatchObject({ cost: null, costUnavailable: 'no_reference' });
    fixture.simulated.fx.override('*', (_req, res) => {
      res.writeHead(200).end(JSON.stringify({ base: 'USD', date: '2020-01-01', rates: { NGN: 1500 } }));
    });
    expect(await harbourOf(await start())).toMatchObject({ cost: null, costUnavailable: 'stale_reference' });
    fixture.simulated.fx.override('*', null);
  });

  it('names the reference by the host of its address alone, which may hold a key', async () => {
    const fxUrl = `${fixture.simulated.fxUrl}?key=secret`;
    const unnamed = await start({ fxUrl, fxSource: undefined });
    const { answer } = await unnamed.rates.quote('usdc-ngn', {});
    expect(answer.quotes[0]?.cost?.reference.source).toBe('127.0.0.1');
    expect(JSON.stringify(answer)).not.toContain('secret');
  });
});

describe('the cache of the rates', () => {
  it('makes one call per anchor for 200 concurrent cold requests', async () => {
    const answers = await Promise.all(Array.from({ length: 200 }, () => quoteNgn({ amount: '250' })));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(['harbour', 'slowboat', 'squall', 'galleon', 'tidewater'].map((id) => callsTo(id))).toEqual([
      1, 1, 1, 1, 1,
    ]);
    expect(callsTo('ferry', 'GET /sep24/info')).toBe(1);
    expect(fixture.simulated.fx.callsTo('GET /fx')).toBe(1);
  });

  it('serves an answer for 15 s, then stale up to 60 s while one refresh runs, and asks again after that', async () => {
    const first = await fixture.service.rates.quote('usdc-ngn', {});
    expect(first.freshForMs).toBe(15_000);
    world.now += 14_999;
    const still = await fixture.service.rates.quote('usdc-ngn', {});
    expect(still).toEqual({ answer: first.answer, freshForMs: 1 });
    expect(callsTo('harbour')).toBe(1);

    world.now += 2;
    const stale = await Promise.all(Array.from({ length: 50 }, () => quoteNgn()));
    expect(stale.every((answer) => answer.stale && answer.asOf === first.answer.asOf)).toBe(true);
    await waitFor(async () => expect((await quoteNgn()).stale).toBe(false), { timeout: 10_000 });
    expect(callsTo('harbour')).toBe(2);
    expect(await quoteNgn()).toMatchObject({ stale: false, asOf: new Date(world.now).toISOString() });

    world.now += 60_000;
    expect(await quoteNgn()).toMatchObject({ stale: false, asOf: new Date(world.now).toISOString() });
    expect(callsTo('harbour')).toBe(3);
  });
});
