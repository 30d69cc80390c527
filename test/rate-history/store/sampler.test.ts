import { beforeEach, describe, expect, it } from '@jest/globals';
import { toSample } from '../../../server/features/rate-history/sample.rules.js';
import {
  createSampler,
  type SamplerDeps,
  samplerLease,
} from '../../../server/features/rate-history/sampler.js';
import { createRateSampleStore, type RateSampleStore } from '../../../server/features/rate-history/store.js';
import { createLeases } from '../../../server/mongo/leases.js';
import { prepareCollections } from '../../../server/mongo/models.js';
import { createInTransaction } from '../../../server/mongo/transactions.js';
import { simulatedRates } from '../../fixtures/rates/simulated-rates.js';
import { silentLogger } from '../../support/silent-logger.js';

const fixture = simulatedRates();
const quarterMs = 900_000;
const dayMs = 96 * quarterMs;
const ngn = 'usdc-ngn';
/** This corridor has no anchor whose quotes are estimated from a fee that was read earlier. */
const eur = 'usdc-eur';
const onlyEur = () => [{ id: eur }];
let store: RateSampleStore;
let instances = 0;

beforeEach(async () => {
  const { connection } = fixture.service;
  store = createRateSampleStore(connection);
  await prepareCollections(connection);
  await connection.collection('rate_samples').deleteMany({});
  await createLeases({ connection, owner: 'seed', logger: silentLogger }).seed([samplerLease]);
  // Five seconds into a slot, whatever the minute.
  fixture.world.now += quarterMs - (fixture.world.now % quarterMs) + 5_000;
});

/** The sampler of another instance, which samples a single corridor unless told otherwise. */
function samplerOf(patch: Partial<SamplerDeps> = {}) {
  const { connection, rates } = fixture.service;
  instances += 1;
  return createSampler({
    store,
    corridors: () => [{ id: ngn }],
    quote: rates.quote,
    leases: createLeases({ connection, owner: `instance ${instances}`, logger: silentLogger }),
    inTransaction: createInTransaction(connection),
    clock: () => fixture.world.now,
    ...patch,
  });
}

async function stored(corridor = ngn) {
  const everything = { corridor, resolution: '15m', from: 0, to: fixture.world.now + dayMs } as const;
  return store.list(everything, { order: 'asc', limit: 1_000 });
}

function silence(corridorAnchors = fixture.simulated.anchors) {
  for (const each of corridorAnchors)
    each.override('*', (_request, response) => void response.writeHead(500).end());
}

/** Longer than the pause that follows repeated failures. */
const pauseMs = 120_000;

describe('the sampler', () => {
  it('stores the figures of the answer that clients get, once for each corridor', async () => {
    const corridors = fixture.service.directory.corridors();
    const run = await samplerOf({ corridors: () => corridors })();
    expect(run).toEqual({ taken: corridors.length, missing: [] });
    for (const { id } of corridors) {
      const { answer } = await fixture.service.rates.quote(id, {});
      expect(await stored(id)).toEqual([
        expect.objectContaining(toSample(new Date(fixture.world.now), answer)),
      ]);
    }
  });

  it('takes the next sample when the next slot begins', async () => {
    const sample = samplerOf();
    await sample();
    fixture.world.now += quarterMs;
    expect(await sample()).toMatchObject({ taken: 1 });
    const [first, second] = await stored();
    expect(Number(second?.at) - Number(first?.at)).toBe(quarterMs);
    expect(first?.asOf).not.toBe(second?.asOf);
  });

  it('takes one sample of each slot when several instances try at the same time', async () => {
    const samplers = Array.from({ length: 4 }, () => samplerOf());
    for (let slot = 0; slot < 3; slot += 1) {
      for (let tries = 0; tries < 3; tries += 1) await Promise.all(samplers.map((sample) => sample()));
      fixture.world.now += quarterMs;
    }
    expect(await stored()).toHaveLength(3);
  });

  it('takes no sample of stale quotes, and one as soon as an anchor quotes again', async () => {
    const sample = samplerOf({ corridors: onlyEur });
    await fixture.service.rates.quote(eur, {});
    silence();
    fixture.world.now += 30_000;
    const { answer } = await fixture.service.rates.quote(eur, {});
    expect(answer).toMatchObject({ stale: true });
    expect(await sample()).toMatchObject({ taken: 0, missing: [eur] });
    for (const each of fixture.simulated.anchors) each.override('*', null);
    fixture.world.now += pauseMs;
    expect(await sample()).toMatchObject({ taken: 1, missing: [] });
    expect((await stored(eur))[0]?.asOf).toBe(new Date(fixture.world.now).toISOString());
  });

  it('stores nothing after another instance has taken over while it waited for an answer', async () => {
    const { connection, rates } = fixture.service;
    let goOn = () => {};
    const waits = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    let isAsked = () => {};
    const asked = new Promise<void>((resolve) => {
      isAsked = resolve;
    });
    const slow = samplerOf({
      quote: async (...args) => {
        isAsked();
        await waits;
        return rates.quote(...args);
      },
    })();
    await asked;
    await connection
      .collection('leases')
      .updateOne({ _id: samplerLease } as object, { $set: { expiresAt: new Date(0) } });
    expect(await samplerOf()()).toMatchObject({ taken: 1 });
    const once = await stored();
    fixture.world.now += quarterMs;
    goOn();
    await expect(slow).rejects.toThrow('held by another');
    expect(await stored()).toEqual(once);
  });

  it('gives every sample 90 days, and the first of each UTC day none', async () => {
    const sample = samplerOf();
    // Moves into a new day, which then has a first sample and later ones.
    fixture.world.now += dayMs - (fixture.world.now % dayMs) + 3 * 3_600_000;
    for (let slot = 0; slot < 3; slot += 1) {
      await sample();
      fixture.world.now += quarterMs;
    }
    const kept = await fixture.service.connection.collection('rate_samples').find().sort({ at: 1 }).toArray();
    expect(
      kept.map(({ at, expiresAt }) => (expiresAt === undefined ? null : (expiresAt - at) / dayMs)),
    ).toEqual([null, 90, 90]);
    const indexes = await fixture.service.connection.collection('rate_samples').indexes();
    expect(indexes).toContainEqual(expect.objectContaining({ key: { expiresAt: 1 }, expireAfterSeconds: 0 }));
  });
});
