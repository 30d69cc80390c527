import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createDisputeStore } from '../../../server/features/disputes/store.js';
import { createRemoveUnpaid } from '../../../server/features/intents/unpaid-removal.js';
import { createUnpaidStore } from '../../../server/features/intents/unpaid-store.js';
import { expired, failed, noon, settled } from '../../fixtures/reputation/aggregatable-intents.js';
import {
  type AggregationFixture,
  insertIntents,
  openAggregationFixture,
  totals,
} from '../../fixtures/reputation/aggregation-fixture.js';
import { testDatabase } from '../../support/database.js';

const { uri } = testDatabase();
let fixture: AggregationFixture;
beforeAll(async () => {
  fixture = await openAggregationFixture(uri);
});
afterAll(() => fixture.close());

it('counts the same after unpaid intents were removed, and a rebuild finds no difference', async () => {
  await insertIntents(fixture, 40, (index) => ({ account: `G${index}`, outcome: settled() }));
  await insertIntents(fixture, 3, (index) => ({ account: `G${index}`, outcome: failed() }));
  const unpaid = await insertIntents(fixture, 60, (index) => ({ account: `G${index}`, outcome: expired() }));
  await fixture.stored.intents.updateMany({}, [{ $set: { status: '$outcome.kind' } }]);
  await fixture.aggregator.aggregate();
  const before = await totals(fixture.store);
  const { connection } = fixture;
  const removeUnpaid = createRemoveUnpaid({
    store: createUnpaidStore(connection),
    disputedAmong: createDisputeStore(connection).disputedAmong,
    asksLedger: true,
    clock: () => noon.getTime() + 40 * 86_400_000,
  });
  expect(await removeUnpaid(() => true)).toBe(unpaid.length);
  expect(await fixture.stored.intents.countDocuments({})).toBe(43);
  const rebuilt = await fixture.rebuild({ adopt: true });
  expect(rebuilt).toMatchObject({ ran: true, value: { intents: 43, stale: 0, differing: 0, adopted: true } });
  expect(await totals(fixture.store, await fixture.store.currentGeneration())).toEqual(before);
});
