import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, it } from '@jest/globals';
import type { Connection } from 'mongoose';
import { connectMongo } from '../../../server/mongo/connection.js';
import { type MongoProxy, startMongoProxy } from '../../fixtures/disputes/database-proxy.js';
import { testDatabase } from '../../support/database.js';

const database = testDatabase();
let proxy: MongoProxy;
let connection: Connection;

afterAll(async () => {
  await connection.close();
  await proxy.stop();
});

it('operations have their whole time limit after a network that was slow at the start has recovered', async () => {
  proxy = await startMongoProxy(database.uri);
  // Until it has measured others, the driver takes the duration of its first exchange as the minimum.
  proxy.delayAnswers(1_200);
  const opening = connectMongo({ uri: proxy.uri });
  await delay(1_900);
  proxy.refuseConnections(3_000);
  connection = await opening;
  proxy.delayAnswers(0);
  await delay(5_000);
  const rows = connection.collection('rows');
  await rows.insertMany([{}, {}, {}, {}]);
  // MongoDB takes 1.2 s for this operation, out of the 2 s that each operation has.
  const { matchedCount } = await rows.updateMany({ $where: 'sleep(300) || true' }, { $set: { seen: true } });
  expect(matchedCount).toBe(4);
}, 60_000);
