import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Connection } from 'mongoose';
import { LimitUnknownError } from '../../../server/limits/limit-unknown.js';
import { createRateLimiter, type RunningRateLimiter } from '../../../server/limits/rate-limiter.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { prepareCollections } from '../../../server/mongo/models.js';
import { testDatabase } from '../../support/database.js';
import { silentLogger } from '../../support/silent-logger.js';

const database = testDatabase();
const connections: Connection[] = [];
/** More than there are keys here. */
const maxKeys = 50_000;
let turn = 0;

/** A limiter that times out on most answers of a healthy database: a majority write takes longer than its time limit. */
async function openHasty(): Promise<RunningRateLimiter> {
  const connection = await connectMongo({ uri: database.uri });
  connections.push(connection);
  const limiter = createRateLimiter({
    connection,
    clock: Date.now,
    logger: silentLogger,
    timeoutMs: 2,
    maxKeys,
  });
  await prepareCollections(connection);
  return limiter;
}

afterAll(async () => {
  for (const connection of connections) await connection.close();
});

/** Runs 64 loops of requests: mostly from addresses that occur once, and from one client in between. */
async function flood(limiters: readonly RunningRateLimiter[], points: number): Promise<number> {
  const rule = { points, windowSeconds: 60, key: 'client' } as const;
  turn += 1;
  const client = `the client|${turn}`;
  let granted = 0;
  let sent = 0;
  const request = async (limiter: RunningRateLimiter, key: string) => {
    try {
      return (await limiter.consume(rule, key)).retryAfterSeconds === undefined;
    } catch (error) {
      if (error instanceof LimitUnknownError) return false;
      throw error;
    }
  };
  const connection = async (place: number) => {
    const limiter = limiters[place % limiters.length];
    if (limiter === undefined) throw new Error('no limiter');
    for (let times = 0; times < 40; times += 1) {
      sent += 1;
      await request(limiter, `address|${turn}|${sent}`);
      if (times % 2 === 0 && (await request(limiter, client))) granted += 1;
    }
  };
  await Promise.all(Array.from({ length: 64 }, (_, place) => connection(place)));
  return granted;
}

describe('64 connections from rotating addresses, with a database that answers after the time limit', () => {
  let one: RunningRateLimiter;
  beforeAll(async () => {
    one = await openHasty();
    // The answer that it is alone comes after the time limit, but is still used.
    await one.upkeep();
    await delay(500);
  });

  it.each([90, 120])('are granted exactly the %i of one client by one instance', async (points) => {
    expect(await flood([one], points)).toBe(points);
  });

  it.each([90, 120])('are granted no more than the %i of one client by three instances', async (points) => {
    const patient = {
      connection: connections[0] as Connection,
      clock: Date.now,
      logger: silentLogger,
      maxKeys,
    };
    const three = [
      await openHasty(),
      await openHasty(),
      createRateLimiter({ ...patient, timeoutMs: 10_000 }),
    ];
    expect(await flood(three, points)).toBeLessThanOrEqual(points);
  });
});
