import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { compare } from '../../scripts/faults/compare/index.js';
import type { Traffic } from '../../scripts/faults/ports.js';
import {
  createTraffic,
  startSurroundings,
  type TrafficSurroundings,
} from '../../scripts/faults/traffic/index.js';
import { seeded } from '../../scripts/lib/random.js';
import { type ServiceProcess, startServiceProcess } from '../fixtures/edge/service-process.js';
import { testAdminKey, testCronSecret } from '../support/app.js';
import { type PrivateMongo, privateMongo } from '../support/database.js';
import { runSeed } from '../support/seeded.js';

const trafficMs = 30_000;
const folder = mkdtempSync(join(tmpdir(), 'fairlead-traffic-'));
const ledgerFile = join(folder, 'ledger.jsonl');
const random = seeded(runSeed());

let mongod: PrivateMongo;
let surroundings: TrafficSurroundings;
let traffic: Traffic;
let instances: ServiceProcess[] = [];

beforeAll(async () => {
  mongod = await privateMongo();
  surroundings = await startSurroundings({ random, clock: Date.now, folder });
  const instance = {
    mongodbUri: mongod.uri,
    stdout: 'ignore' as const,
    simulated: surroundings.anchors,
    env: {
      ...surroundings.env,
      ADMIN_SECRET_KEY: testAdminKey,
      CRON_SECRET: testCronSecret,
      SCHEDULER: 'on',
    },
  };
  instances = [await startServiceProcess(instance), await startServiceProcess(instance)];
  traffic = await createTraffic({
    target: { urls: () => instances.map(({ url }) => url) },
    surroundings,
    credentials: { adminKey: testAdminKey, cronSecret: testCronSecret },
    random,
    clock: Date.now,
    ledgerFile,
    settings: { offRampsAtOnce: 4, laterWebhooks: 2, everyMs: { ...fast, webhook: 8_000 } },
  });
}, 120_000);
afterAll(async () => {
  await Promise.all(instances.map(({ end }) => end('SIGKILL')));
  await surroundings?.stop();
  await mongod?.stop();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

const fast = { return: 5_000, refresh: 3_000, tick: 4_000, reconcile: 2_000, invalidate: 10_000 };

describe('the traffic of a storm, where nothing is broken', () => {
  it('comes to rest, and finds in the database, at the oracle and at the receivers what it was told', async () => {
    traffic.start();
    await delay(trafficMs);
    await traffic.settle();
    await traffic.stop();
    await Promise.all(instances.map(({ end }) => end('SIGTERM')));

    const unexpected = traffic.answers().filter(({ status, fault }) => fault !== undefined || status === 429);
    expect(unexpected).toEqual([]);
    expect(traffic.refusals()).toEqual([]);
    const { compared, findings } = await compare({ mongoUri: mongod.uri, ledgerFile, surroundings });
    expect(findings).toEqual([]);
    for (const [name, count] of Object.entries(compared)) expect([name, count > 0]).toEqual([name, true]);
    expect(traffic.writesUnderWay()).toBe(0);
    expect(traffic.answers().filter(({ acknowledged }) => acknowledged).length).toBeGreaterThan(50);
  }, 300_000);
});
