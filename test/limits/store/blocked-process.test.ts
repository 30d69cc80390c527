import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Connection } from 'mongoose';
import { createRateLimiter } from '../../../server/limits/rate-limiter.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { prepareCollections } from '../../../server/mongo/models.js';
import { testDatabase } from '../../support/database.js';
import { silentLogger } from '../../support/silent-logger.js';

const database = testDatabase();
const rule = { points: 60, windowSeconds: 60, key: 'client' } as const;
let connection: Connection;

beforeAll(async () => {
  connection = await connectMongo({ uri: database.uri });
  await prepareCollections(connection);
});
afterAll(() => connection.close());

function beBusy(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

it('a process that was busy while its draw was answered takes the answer, and does not count by itself', async () => {
  const limiter = createRateLimiter({ connection, clock: Date.now, logger: silentLogger });
  // An instance that is alone waits for 150 ms.
  await limiter.upkeep();
  await limiter.consume(rule, 'the connection is open');
  for (let round = 0; round < 5; round += 1) {
    const state = limiter.consume(rule, `client ${round}`);
    await turn();
    beBusy(400);
    expect(await state).toMatchObject({ remaining: 59 });
    expect(limiter.degraded()).toBe(false);
  }
});
