import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Connection, type Model, Schema } from 'mongoose';
import { toApiError } from '../../../server/http/error-mapper.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { testDatabase } from '../../support/database.js';

/** The driver's internal state of its connections, which has no public access. */
interface Pool {
  [connections: symbol]: unknown;
  checkedOut: Set<{ socket: Socket }>;
}
interface Topology {
  s: { servers: Map<string, { pool: Pool }> };
}

const database = testDatabase();
let connection: Connection;
let rows: Model<{ n?: number | null }>;
/** Called for each connection that an operation checks out, before its request is written. */
let atCheckout: (socket: Socket) => void;

beforeAll(async () => {
  connection = await connectMongo({ uri: database.uri });
  rows = connection.model('Row', new Schema({ n: Number }, { collection: 'rows' }));
  const client = connection.getClient();
  client.on('connectionCheckedOut', () => {
    const { topology } = client as unknown as { topology: Topology };
    for (const { pool } of topology.s.servers.values())
      for (const { socket } of pool.checkedOut) atCheckout(socket);
  });
});
beforeEach(() => {
  atCheckout = () => undefined;
});
afterAll(() => connection.close());

const unseen = () => Object.assign(new Error('no buffer space available'), { code: 'ENOBUFS' });

const operations: [string, () => Promise<unknown>][] = [
  ['a read', () => rows.findOne({ n: 1 }).lean()],
  ['a write', () => rows.updateOne({ n: 1 }, { $inc: { n: 1 } }, { upsert: true })],
  ['an aggregation', () => rows.aggregate([{ $match: { n: 1 } }])],
  ['a bulk write', () => rows.bulkWrite([{ insertOne: { document: { n: 2 } } }])],
];

describe.each(operations)('%s whose connection', (_name, operate) => {
  it.each<[string, (socket: Socket) => void]>([
    ['ends before the request is written', (socket) => socket.end()],
    ['is reset', (socket) => socket.resetAndDestroy()],
    ['fails in a way never seen before', (socket) => socket.destroy(unseen())],
  ])('%s: fails as a 503, and the next one succeeds', async (_how, lose) => {
    await operate();
    atCheckout = lose;
    const error: unknown = await operate().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    atCheckout = () => undefined;
    expect([String(error), toApiError(error).status]).toEqual([String(error), 503]);
    await delay(50);
    await operate();
  });
});
