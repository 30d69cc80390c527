import { beforeEach, describe, expect, it } from '@jest/globals';
import { toSample } from '../../../server/features/rate-history/sample.rules.js';
import { createSampler } from '../../../server/features/rate-history/sampler.js';
import { createRateSampleStore, type RateSampleStore } from '../../../server/features/rate-history/store.js';
import { prepareCollections } from '../../../server/mongo/models.js';
import { simulatedRates } from '../../fixtures/rates/simulated-rates.js';

const fixture = await simulatedRates();
const { world } = fixture;
const quarterMs = 900_000;
const dayMs = 96 * quarterMs;
/** This corridor has no anchor whose quotes are estimated from a fee that was read earlier. */
const eur = 'usdc-eur';
/** Longer than the pause that follows repeated failures. */
const pauseMs = 120_000;
let store: RateSampleStore;

beforeEach(async () => {
  const { connection } = fixture.service;
  store = createRateSampleStore(connection);
  await prepareCollections(connection);
  await connection.collection('rate_samples').deleteMany({});
  // Five seconds into the last slot but one of a day, whatever the time.
  world.now += 2 * dayMs - (world.now % dayMs) - 2 * quarterMs + 5_000;
});

/** The sampler of an instance. */
const samplerOf = (corridors: () => readonly { id: string }[] = () => [{ id: eur }]) =>
  createSampler({ store, corridors, quote: fixture.service.rates.quote, clock: () => world.now });

const stored = (corridor = eur, resolution: '15m' | '1h' | '1d' = '15m') =>
  store.list({ corridor, resolution, from: 0, to: world.now + 1 }, { order: 'asc', limit: 1_000 });

describe('the sampler', () => {
  it('stores the figures of the answer that clients get, once for each corridor', async () => {
    const { directory, rates } = fixture.service;
    const sample = samplerOf(directory.corridors);
    expect(await sample()).toBe(directory.corridors().length);
    expect(await sample()).toBe(0);
    for (const { id } of directory.corridors()) {
      const { answer } = await rates.quote(id, {});
      expect(await stored(id)).toEqual([expect.objectContaining(toSample(new Date(world.now), answer))]);
    }
  });

  it('takes one sample of each slot, however many instances try, and shows the first of each period', async () => {
    const samplers = Array.from({ length: 4 }, () => samplerOf());
    const firsts: number[] = [];
    for (let slot = 0; slot < 4; slot += 1) {
      firsts.push(world.now);
      for (let tries = 0; tries < 2; tries += 1) {
        await Promise.all(samplers.map((sample) => sample()));
        world.now += 60_000;
      }
      // An instance that restarts within the slot.
      await samplerOf()();
      world.now += quarterMs - 120_000;
    }
    const timesOf = async (resolution: '15m' | '1h' | '1d') =>
      (await stored(eur, resolution)).map(({ at }) => at.getTime());
    expect(await timesOf('15m')).toEqual(firsts);
    // The first two slots end a day.
    expect(await timesOf('1h')).toEqual([firsts[0], firsts[2]]);
    expect(await timesOf('1d')).toEqual([firsts[0], firsts[2]]);
  });

  it('takes no sample of stale quotes or none, and one as soon as an anchor quotes again', async () => {
    const sample = samplerOf();
    await fixture.service.rates.quote(eur, {});
    for (const each of fixture.simulated.anchors)
      each.override('*', (_request, response) => void response.writeHead(500).end());
    world.now += 30_000;
    expect((await fixture.service.rates.quote(eur, {})).answer).toMatchObject({ stale: true });
    expect(await sample()).toBe(0);
    world.now += pauseMs;
    expect(await sample()).toBe(0);
    for (const each of fixture.simulated.anchors) each.override('*', null);
    world.now += pauseMs;
    expect(await sample()).toBe(1);
    expect((await stored())[0]?.asOf).toBe(new Date(world.now).toISOString());
  });

  it('keeps every sample for 90 days, and the first of each UTC day for good', async () => {
    await samplerOf()();
    const { connection } = fixture.service;
    const kept = await connection.collection('rate_samples').find().sort({ _id: 1 }).toArray();
    const days = kept.map(({ at, expiresAt }) => expiresAt && (expiresAt - at) / dayMs);
    expect(days).toEqual([90, undefined, 90]);
    const indexes = await connection.collection('rate_samples').indexes();
    expect(indexes).toContainEqual(expect.objectContaining({ key: { expiresAt: 1 }, expireAfterSeconds: 0 }));
  });
});
