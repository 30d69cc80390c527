import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createOutboxStore } from '../../../server/deliveries/outbox-store.js';
import { type DeliveryFixture, openDeliveries } from '../../fixtures/deliveries/delivery-fixture.js';
import { startThreeMembers, type ThreeMembers } from '../../fixtures/limits/three-members.js';
import { waitFor } from '../../support/wait-for.js';

let members: ThreeMembers;
let one: DeliveryFixture;

beforeAll(async () => {
  members = await startThreeMembers();
  one = await openDeliveries({ uri: members.uri });
}, 120_000);
afterAll(async () => {
  await one?.close();
  await members?.stop();
});

it('no delivery is made of an event that the primary alone has', async () => {
  const outbox = createOutboxStore(one.connection);
  const release = await members.holdReplication();
  await expect(one.emitTicks(1)).rejects.toThrow();
  expect(await one.connection.collection('outbox').countDocuments({}, { readConcern: 'local' })).toBe(1);
  expect(await outbox.openEvents(10)).toEqual([]);
  await release();
  await waitFor(async () => expect(await outbox.openEvents(10)).toHaveLength(1), { timeout: 30_000 });
}, 120_000);
