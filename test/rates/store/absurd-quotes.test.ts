import { beforeEach, describe, expect, it } from '@jest/globals';
import { type QuoteSort, quoteSorts, ratesAnswer } from '../../../contract/schemas/rates.js';
import { createSnapshotFeature } from '../../../server/features/snapshot/feature.js';
import { scoredRecord } from '../../fixtures/rates/corridor.js';
import { price, simulatedRates } from '../../fixtures/rates/simulated-rates.js';

const fixture = await simulatedRates();
const { start, quoteNgn, callsTo } = fixture;
const sorts = Object.keys(quoteSorts) as QuoteSort[];
const ownPrices = ['harbour', 'slowboat', 'squall', 'galleon', 'tidewater'];

function promise(anchorId: string, priceFactor: string): void {
  fixture.simulated.anchor(anchorId).setProfile({ priceFactor });
}

/** Makes these anchors fail price requests. */
function silence(...ids: string[]) {
  for (const id of ids)
    fixture.simulated.anchor(id).override(price, (_req, res) => void res.writeHead(500).end());
}

function staleReference() {
  fixture.simulated.fx.override('*', (_req, res) => {
    res.writeHead(200).end(JSON.stringify({ base: 'USD', date: '2020-01-01', rates: { NGN: 1530 } }));
  });
}
beforeEach(() => fixture.simulated.fx.override('*', null));

describe('a price 650 times the market', () => {
  it('is listed last with its reason and never the best, in any order and with the best record', async () => {
    const recorded = await start({
      reputationOf: (id) => scoredRecord(id === 'squall' ? { score: '99.99', p50SettleSeconds: 1 } : {}),
    });
    promise('squall', '650');
    for (const sort of sorts) {
      const { answer } = await recorded.rates.quote('usdc-ngn', { sort });
      expect(ratesAnswer.parse(answer)).toEqual(answer);
      expect(answer.best?.anchorId).not.toBe('squall');
      expect(answer.quotes.at(-1)).toMatchObject({ anchorId: 'squall', unranked: 'above_band' });
      expect(answer.quotes.filter(({ unranked }) => unranked !== null).length).toBe(1);
      expect(answer.band).toMatchObject({ basis: 'median', anchors: 5, factor: '4' });
    }
    const { answer } = await recorded.rates.quote('usdc-ngn', {});
    expect(answer.best?.anchorId).toBe(answer.quotes[0]?.anchorId);
  });

  it('is not in the snapshot', async () => {
    promise('tidewater', '650');
    const { rates, directory, cacheEpoch } = fixture.service;
    const clock = () => fixture.world.now;
    const snapshot = createSnapshotFeature({ directory, rates, cacheEpoch, clock, publicCache: false });
    const { answer } = await snapshot.get();
    for (const { corridor, best } of answer.corridors) {
      expect([corridor, best === null || Number(best.cost?.percent) > -300]).toEqual([corridor, true]);
      expect(best?.anchorId).not.toBe('tidewater');
    }
  });

  it('is judged by the reference rate where fewer than three anchors give a price, and by nothing where that is stale', async () => {
    promise('harbour', '650');
    silence('slowboat', 'squall', 'galleon');
    const judged = await quoteNgn();
    expect(judged.band).toMatchObject({ basis: 'reference', anchors: 0 });
    expect(judged.best).toEqual({ anchorId: 'tidewater' });
    expect(judged.quotes.at(-1)).toMatchObject({ tier: 'anchor', unranked: 'above_band' });
    staleReference();
    const stale = (await (await start()).rates.quote('usdc-ngn', {})).answer;
    expect(stale.band).toBeNull();
    expect(stale.quotes.map(({ anchorId, unranked }) => [anchorId, unranked])).toEqual([
      ['harbour', null],
      ['tidewater', null],
    ]);
  });

  it('is judged by the reference amounts of the others where it is the only one for an amount, without a reference rate', async () => {
    promise('harbour', '650');
    const withoutFx = await start({ fxUrl: undefined });
    await withoutFx.rates.quote('usdc-ngn', {});
    silence(...ownPrices.filter((id) => id !== 'harbour'));
    for (const [amount, seconds] of [
      ['5000', 0],
      ['5001', 50],
    ] as const) {
      fixture.world.now += seconds * 1_000;
      const { answer } = await withoutFx.rates.quote('usdc-ngn', { amount });
      expect(answer.quotes).toMatchObject([{ tier: 'anchor', unranked: 'above_band' }]);
      expect([answer.best, answer.band?.anchors]).toEqual([null, 5]);
    }
    // After a minute without a price for the reference amount, no other anchor is left for the comparison.
    fixture.world.now += 11_000;
    const { answer } = await withoutFx.rates.quote('usdc-ngn', { amount: '5002' });
    expect([answer.best, answer.band]).toEqual([{ anchorId: 'harbour' }, null]);
  });
});

describe('the quote of an intent', () => {
  it('is marked where it is outside the band, without asking any other anchor', async () => {
    await quoteNgn();
    promise('harbour', '650');
    const asked = callsTo('tidewater');
    const { quoteFrom } = fixture.service.rates;
    const absurd = await quoteFrom('usdc-ngn', 'harbour', '120', undefined);
    expect(absurd.quote).toMatchObject({ tier: 'anchor', unranked: 'above_band' });
    promise('harbour', '1');
    const honest = await quoteFrom('usdc-ngn', 'harbour', '121', undefined);
    expect(honest.quote).toMatchObject({ tier: 'anchor', unranked: null });
    expect(callsTo('tidewater')).toBe(asked);
  });
});
