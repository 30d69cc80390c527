import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { snapshotAnswer } from '../../../contract/schemas/snapshot.js';
import { type SimulatedAnchors, startSimulatedAnchors } from '../../../scripts/simulated-anchors/index.js';
import { ApiError } from '../../../server/errors.js';
import { createSnapshot, type Snapshot } from '../../../server/features/snapshot/service.js';
import { type RatesService, startRatesService } from '../../fixtures/rates/rates-service.js';
import { scoredRecord } from '../../fixtures/rates/records.js';
import { testDatabase } from '../../support/database.js';

const database = testDatabase();
const price = 'GET /sep38/price';
let simulated: SimulatedAnchors;
let service: RatesService;
let snapshot: Snapshot;

beforeAll(async () => {
  simulated = await startSimulatedAnchors({
    clock: Date.now,
    random: () => 0.5,
    latencyFactor: 0,
    anchors: ['harbour', 'galleon', 'ferry'],
  });
});
afterAll(() => simulated.stop());
beforeEach(async () => {
  const { fleet, allow, env, fxUrl } = simulated;
  service = await startRatesService({ uri: database.uri, fleet, allow, env, fxUrl });
  const { directory, rates, cacheEpoch, world } = service;
  const clock = () => world.now;
  snapshot = createSnapshot({ directory, rates, cacheEpoch, clock });
  for (const each of simulated.anchors) each.resetCalls();
});
afterEach(async () => {
  await service.close();
  for (const each of simulated.anchors) each.override(price, null);
});

describe('the snapshot', () => {
  it('has every corridor at its reference amount with the best quote and its record', async () => {
    const { answer, freshForMs } = await snapshot.get();
    expect(snapshotAnswer.parse(answer)).toEqual(answer);
    expect(freshForMs).toBe(15_000);
    expect(answer.corridors.map(({ corridor }) => corridor)).toEqual(
      service.directory.corridors().map(({ id }) => id),
    );
    const ngn = answer.corridors.find(({ corridor }) => corridor === 'usdc-ngn');
    const rates = await service.rates.quote('usdc-ngn', {});
    expect(ngn).toMatchObject({
      amount: '100',
      best: { anchorId: rates.answer.best?.anchorId, simulated: true },
    });
  });

  it('has the best quote by the formula of the rates, not the highest promise', async () => {
    const promised = (await service.rates.quote('usdc-ngn', { sort: 'receive' })).answer.quotes;
    const [highest, next] = promised;
    expect([highest?.tier, next?.tier]).toEqual(['anchor', 'anchor']);
    const unreliable = { fillRate: '0.500000', p50SettleSeconds: 80_000, p95SettleSeconds: 90_000 };
    await service.close();
    const { fleet, allow, env, fxUrl } = simulated;
    service = await startRatesService({
      uri: database.uri,
      fleet,
      allow,
      env,
      fxUrl,
      reputationOf: (anchorId) => scoredRecord(anchorId === highest?.anchorId ? unreliable : {}),
    });
    snapshot = createSnapshot({
      ...service,
      clock: () => service.world.now,
    });
    const { answer } = await snapshot.get();
    const ngn = answer.corridors.find(({ corridor }) => corridor === 'usdc-ngn');
    expect(ngn?.best?.anchorId).toBe(next?.anchorId);
    const rates = (await service.rates.quote('usdc-ngn', {})).answer;
    expect(rates.best?.anchorId).toBe(next?.anchorId);
    expect(ngn?.best).toMatchObject({ worth: rates.quotes[0]?.worth, cost: rates.quotes[0]?.cost });
    expect(ngn?.best?.cost).not.toBeNull();
  });

  it('shows a corridor without offers as such', async () => {
    for (const each of simulated.anchors) each.override('*', (_req, res) => void res.writeHead(500).end());
    const { answer } = await snapshot.get();
    expect(answer.corridors.every(({ best }) => best === null)).toBe(true);
    for (const each of simulated.anchors) each.override('*', null);
  });

  it('is replaced by a rebuild, which keeps the reference amounts fresh', async () => {
    const first = (await snapshot.get()).answer;
    service.world.now += 20_000;
    expect((await snapshot.get()).answer).toBe(first);
    await snapshot.rebuild();
    expect((await snapshot.get()).answer).not.toBe(first);
    expect((await service.rates.quote('usdc-ngn', {})).answer.stale).toBe(false);
  });

  it('asks first for the corridors that wait longest, where an anchor has more than it may be asked for at once', async () => {
    const ids = ['a', 'b', 'c', 'd', 'e'];
    let now = 1_000_000;
    let left = 0;
    const asked: string[] = [];
    const busy = () =>
      new ApiError('RATES_UNAVAILABLE', 'busy', { unavailable: [{ anchorId: 'x', reason: 'busy' }] });
    const quote = async (id: string) => {
      if (left === 0) throw busy();
      left -= 1;
      asked.push(id);
      return { answer: { quotes: [], unavailable: [], asOf: new Date(now).toISOString() } };
    };
    const crowded = createSnapshot({
      ...service,
      directory: {
        corridors: () =>
          ids.map((id) => ({ id, sellAsset: '', buyAsset: '', referenceAmount: '100' })) as never,
        servingVersion: () => 0,
      },
      rates: { quote: quote as never },
      clock: () => now,
    });
    for (let round = 0; round < 5; round += 1) {
      left = 2;
      await crowded.rebuild();
      now += 15_000;
    }
    expect(asked.join('')).toBe('abcdeabcda');
  });

  it('no longer has quotes of an anchor that shows another signing key', async () => {
    const harbour = simulated.anchor('harbour');
    const shown = (await service.rates.quote('usdc-ngn', {})).answer.quotes;
    expect(shown.map(({ anchorId }) => anchorId)).toContain('harbour');
    const before = (await snapshot.get()).answer;
    const file = 'GET /.well-known/stellar.toml';
    const text = await (await fetch(`${harbour.origin}/.well-known/stellar.toml`)).text();
    const otherKey = simulated.anchor('galleon').signingKey;
    harbour.override(file, (_req, res) => void res.end(text.replaceAll(harbour.signingKey, otherKey)));
    const readAgain = async () => {
      await service.cacheEpoch.empty();
      await service.directory.discoverDue();
      await service.directory.stop();
    };
    await readAgain();
    harbour.override(file, null);
    const after = (await service.rates.quote('usdc-ngn', {})).answer.quotes;
    expect(after.map(({ anchorId }) => anchorId)).not.toContain('harbour');
    expect((await snapshot.get()).answer).not.toBe(before);
    // The refusal is stored.
    await readAgain();
  });

  it('is rebuilt by asking again for quotes older than half the interval, and only for those', async () => {
    const asked = () => simulated.anchor('harbour').calls[price] ?? 0;
    await snapshot.rebuild();
    const before = asked();
    service.world.now += 7_499;
    await snapshot.rebuild();
    expect(asked()).toBe(before);
    service.world.now += 1;
    await snapshot.rebuild();
    expect(asked()).toBeGreaterThan(before);
  });
});
