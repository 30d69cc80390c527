import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Connection } from 'mongoose';
import { connectMongo } from '../../../server/mongo/connection.js';
import { type MongoProxy, startMongoProxy } from '../../fixtures/disputes/database-proxy.js';
import { testDatabase } from '../../support/database.js';

const database = testDatabase();
const { write } = Socket.prototype;
let proxy: MongoProxy;
let connection: Connection;

beforeAll(async () => {
  proxy = await startMongoProxy(database.uri);
  proxy.delayAnswers(30);
  connection = await connectMongo({ uri: proxy.uri });
});
afterAll(async () => {
  Socket.prototype.write = write;
  await connection.close();
  await proxy.stop();
});

/** Blocks this process after each write to a socket, until the operation's time is up. */
function beBusyAfterSending(ms: number): void {
  Socket.prototype.write = function (this: Socket, ...given: unknown[]) {
    const sent = Reflect.apply(write, this, given) as boolean;
    for (const until = performance.now() + ms; performance.now() < until; );
    return sent;
  } as typeof write;
}

it('an operation never receives the late answer to an earlier operation that timed out', async () => {
  // The driver considers the shortest exchange so far, and has measured none in the first two seconds.
  await delay(3_500);
  const rows = connection.collection<{ _id: number }>('rows');
  const ids = [1, 2, 3, 4];
  await rows.insertMany(ids.map((_id) => ({ _id })));
  for (const _id of ids.slice(0, 3)) {
    beBusyAfterSending(300);
    const late = rows.updateOne({ _id }, { $set: { seen: true } }, { timeoutMS: 250 });
    await expect(late).rejects.toThrow('greater than the time remaining');
    Socket.prototype.write = write;
    expect(await rows.findOne({ _id: 4 })).toEqual({ _id: 4 });
  }
});
