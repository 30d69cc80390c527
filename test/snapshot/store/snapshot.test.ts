import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { snapshotAnswer } from '../../../contract/schemas/snapshot.js';
import { type SimulatedAnchors, startSimulatedAnchors } from '../../../scripts/simulated-anchors/index.js';
import { createSnapshot, type Snapshot } from '../../../server/features/snapshot/service.js';
import { type RatesHarness, startRatesHarness } from '../../fixtures/rates/rates-over-http.js';
import { testDatabase } from '../../support/database.js';
import { silentLogger } from '../../support/silent-logger.js';

const database = testDatabase();
const price = 'GET /sep38/price';
let simulated: SimulatedAnchors;
let harness: RatesHarness;
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
  harness = await startRatesHarness({ uri: database.uri, fleet, allow, env, fxUrl });
  const { directory, rates, epochs, world } = harness;
  const clock = () => world.now;
  snapshot = createSnapshot({ directory, rates, epochs, clock, random: () => 0.5, logger: silentLogger });
  for (const each of simulated.anchors) each.resetCalls();
});
afterEach(async () => {
  await snapshot.stop();
  await harness.close();
  for (const each of simulated.anchors) each.override(price, null);
});

describe('the snapshot', () => {
  it('has every corridor at its reference amount with the best quote and its record', async () => {
    const { answer, freshForMs } = await snapshot.get();
    expect(snapshotAnswer.parse(answer)).toEqual(answer);
    expect(freshForMs).toBe(15_000);
    expect(answer.corridors.map(({ corridor }) => corridor)).toEqual(
      harness.directory.corridors().map(({ id }) => id),
    );
    const ngn = answer.corridors.find(({ corridor }) => corridor === 'usdc-ngn');
    const rates = await harness.rates.quote('usdc-ngn', {});
    expect(ngn).toMatchObject({
      amount: '100',
      best: { anchorId: rates.answer.best?.anchorId, simulated: true },
    });
  });

  it('is built once for all who wait for the first one, then served from memory', async () => {
    const all = await Promise.all(Array.from({ length: 50 }, () => snapshot.get()));
    expect(new Set(all.map(({ answer }) => answer)).size).toBe(1);
    const asked = simulated.anchor('galleon').calls[price];
    expect((await snapshot.get()).answer).toBe(all[0]?.answer);
    expect(simulated.anchor('galleon').calls[price]).toBe(asked);
  });

  it('is built anew after an invalidation of it, of rates, or of everything, and not of other things', async () => {
    let before = (await snapshot.get()).answer;
    for (const scope of ['snapshot', 'rates', 'all'] as const) {
      await harness.epochs.invalidate(scope, undefined);
      const after = (await snapshot.get()).answer;
      expect(after).not.toBe(before);
      before = after;
    }
    await harness.epochs.invalidate('fx', undefined);
    expect((await snapshot.get()).answer).toBe(before);
  });

  it('shows a corridor without offers as such', async () => {
    for (const each of simulated.anchors) each.override('*', (_req, res) => void res.writeHead(500).end());
    const { answer } = await snapshot.get();
    expect(answer.corridors.every(({ best }) => best === null)).toBe(true);
    for (const each of simulated.anchors) each.override('*', null);
  });

  it('builds in the background from its start until it is stopped, and keeps reference amounts fresh', async () => {
    const { directory, rates, epochs, world } = harness;
    const clock = () => world.now;
    const quick = createSnapshot({
      directory,
      rates,
      epochs,
      clock,
      random: () => 0.5,
      logger: silentLogger,
      intervalMs: 40,
    });
    quick.start();
    const first = (await quick.get()).answer;
    world.now += 20_000;
    const deadline = Date.now() + 5_000;
    while ((await quick.get()).answer === first && Date.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect((await harness.rates.quote('usdc-ngn', {})).answer.stale).toBe(false);
    await quick.stop();
    const asked = simulated.anchor('harbour').calls[price];
    world.now += 20_000;
    await new Promise((resolve) => setTimeout(resolve, 120));
    expect(simulated.anchor('harbour').calls[price]).toBe(asked);
  });
});
