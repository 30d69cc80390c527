import { describe, expect, it } from '@jest/globals';
import { snapshotAnswer } from '../../../contract/schemas/snapshot.js';
import { createSnapshotFeature, type SnapshotDeps } from '../../../server/features/snapshot/feature.js';
import { scoredRecord } from '../../fixtures/rates/corridor.js';
import { simulatedRates } from '../../fixtures/rates/simulated-rates.js';

const fixture = await simulatedRates();
const { callsTo, world } = fixture;
const snapshotOf = (patch: Partial<SnapshotDeps> = {}, service = fixture.service) =>
  createSnapshotFeature({ ...service, clock: () => world.now, publicCache: false, ...patch });

describe('the snapshot', () => {
  it('has every corridor with the best quote by the formula of the rates, not the highest promise', async () => {
    const promised = (await fixture.service.rates.quote('usdc-ngn', { sort: 'receive' })).answer;
    const [highest, next] = promised.quotes;
    const unreliable = { fillRate: '0.500000', p50SettleSeconds: 80_000, p95SettleSeconds: 90_000 };
    const service = await fixture.start({
      reputationOf: (anchorId) => scoredRecord(anchorId === highest?.anchorId ? unreliable : {}),
    });
    const { answer, freshForMs } = await snapshotOf({}, service).get();
    expect(snapshotAnswer.parse(answer)).toEqual(answer);
    expect(freshForMs).toBe(15_000);
    expect(answer.corridors.map(({ corridor }) => corridor)).toEqual(
      service.directory.corridors().map(({ id }) => id),
    );
    const rates = (await service.rates.quote('usdc-ngn', {})).answer;
    const { worth, cost } = rates.quotes[0] ?? {};
    expect(cost).not.toBeNull();
    const best = { anchorId: next?.anchorId, simulated: true, worth, cost };
    expect(answer.corridors.find(({ corridor }) => corridor === 'usdc-ngn')).toMatchObject({
      amount: '100',
      best,
    });
    expect(rates.best?.anchorId).toBe(next?.anchorId);
  });

  it('shows a corridor without offers as such', async () => {
    for (const each of fixture.simulated.anchors)
      each.override('*', (_req, res) => void res.writeHead(500).end());
    const { answer } = await snapshotOf().get();
    expect(answer.corridors.every(({ best }) => best === null)).toBe(true);
  });

  it('is served until a rebuild, which asks for quotes older than half the interval, and only for those', async () => {
    const snapshot = snapshotOf();
    const asked = () => callsTo('harbour');
    const first = (await snapshot.get()).answer;
    const before = asked();
    world.now += 7_499;
    expect((await snapshot.get()).answer).toBe(first);
    await snapshot.rebuild();
    expect(asked()).toBe(before);
    world.now += 1;
    await snapshot.rebuild();
    expect(asked()).toBeGreaterThan(before);
    expect((await snapshot.get()).answer).not.toBe(first);
    expect((await fixture.service.rates.quote('usdc-ngn', {})).answer.stale).toBe(false);
  });

  it('begins each time with other corridors, where an anchor has more than it may be asked for at once', async () => {
    const ids = Array.from({ length: 40 }, (_, n) => `c${n}`);
    const corridors = () => ids.map((id) => ({ id, sellAsset: '', buyAsset: '', referenceAmount: '1' }));
    const asked = new Set<string>();
    let left = 0;
    const quote = async (id: string) => {
      left -= 1;
      if (left >= 0) asked.add(id);
      return { answer: { quotes: [], asOf: new Date().toISOString() } };
    };
    const { rebuild } = snapshotOf({
      directory: { corridors: corridors as never },
      rates: { quote: quote as never },
    });
    for (let round = 0; round < 3; round += 1) {
      left = 16;
      await rebuild();
    }
    expect(asked.size).toBe(ids.length);
  });
});
