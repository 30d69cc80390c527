import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createRebuild } from '../../../server/features/reputation/rebuild.js';
import { LeaseLostError } from '../../../server/mongo/leases.js';
import { settled } from '../../fixtures/reputation/aggregatable-intents.js';
import {
  type AggregationFixture,
  insertIntents,
  openAggregationFixture,
  totals,
} from '../../fixtures/reputation/aggregation-fixture.js';
import { testDatabase } from '../../support/database.js';

const { uri } = testDatabase();
let fixture: AggregationFixture;
let other: AggregationFixture;

beforeAll(async () => {
  fixture = await openAggregationFixture(uri);
  other = await openAggregationFixture(uri);
});
afterAll(async () => {
  await fixture.close();
  await other.close();
});

/** A rebuild that was suspended while it compared: it does not know yet that its lease has expired. */
function suspendedRebuild(meanwhile: () => Promise<void>) {
  const { store, leases } = fixture;
  let isFirst = true;
  return createRebuild({
    ...fixture,
    leases: {
      run: (name, ttlMs, work) =>
        leases.run(name, ttlMs, (lease) => work({ ...lease, signal: new AbortController().signal })),
    },
    store: {
      ...store,
      rollups: {
        ...store.rollups,
        async findByKeys(...args) {
          if (isFirst) await meanwhile();
          isFirst = false;
          return store.rollups.findByKeys(...args);
        },
      },
    },
  });
}

async function expireLease(): Promise<void> {
  const expired = { $set: { expiresAt: new Date(Date.now() - 60_000) } };
  await fixture.connection
    .collection<{ _id: string }>('leases')
    .updateOne({ _id: 'reputation-fold' }, expired);
}

it.each([true, false])(
  'a rebuild that was suspended deletes nothing that another one has put in force meanwhile (adopt: %s)',
  async (adopt) => {
    await insertIntents(fixture, 20, (index) => ({ account: `G${adopt}${index}`, outcome: settled() }));
    await fixture.aggregator.aggregate();
    const before = await totals(fixture.store, await fixture.store.currentGeneration());
    let adopted = 0;
    const rebuild = suspendedRebuild(async () => {
      await expireLease();
      const outcome = await other.rebuild({ adopt: true });
      if (outcome.ran) adopted = outcome.value.generation;
    });
    await expect(rebuild({ adopt })).rejects.toThrow(LeaseLostError);
    expect(adopted).toBeGreaterThan(0);
    expect(await fixture.store.currentGeneration()).toBe(adopted);
    expect(await totals(fixture.store, adopted)).toEqual(before);
    expect(await other.rebuild({ adopt: false })).toMatchObject({ ran: true, value: { differing: 0 } });
  },
);
