import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { rateLimitClasses } from '../../../contract/rate-limits.js';
import { startSimulatedAnchors } from '../../../scripts/simulated-anchors/index.js';
import { type ServiceProcess, startServiceProcess } from '../../fixtures/edge/service-process.js';
import { type ClientOfAll, createClientOfAll } from '../../fixtures/limits/client-of-all.js';
import { startThreeMembers, type ThreeMembers } from '../../fixtures/limits/three-members.js';
import { expectFor } from '../../support/expect-for.js';

const artifacts = fileURLToPath(new URL('../../../artifacts', import.meta.url));
const processes = 8;
const seconds = 72;
/** The interval of new clients of each operation, so that windows open before, during and after every fault. */
const newClientEveryMs = 6_000;
const operations = [
  { path: '/api/corridors', limit: rateLimitClasses.default.points },
  { path: '/api/publisher/health', limit: rateLimitClasses.publisherHealth.points },
];

let members: ThreeMembers;
let anchors: Awaited<ReturnType<typeof startSimulatedAnchors>>;
let instances: ServiceProcess[] = [];

beforeAll(async () => {
  members = await startThreeMembers();
  anchors = await startSimulatedAnchors({ clock: Date.now, random: () => 0.5, anchors: ['harbour'] });
  // The first instance prepares the database.
  instances = [await start()];
  instances.push(...(await Promise.all(Array.from({ length: processes - 1 }, start))));
}, 240_000);
afterAll(async () => {
  await Promise.all(instances.map((instance) => instance.end('SIGKILL')));
  await anchors?.stop();
  await members?.stop();
}, 60_000);

function start(): Promise<ServiceProcess> {
  return startServiceProcess({ mongodbUri: members.uri, stdout: 'ignore', simulated: anchors });
}

/** Kills the instance at this index and starts another in its place. */
async function replace(place: number): Promise<void> {
  await instances[place]?.end('SIGKILL');
  instances[place] = await start();
}

async function freeze(places: readonly number[], forMs: number): Promise<void> {
  for (const place of places) instances[place]?.freeze();
  await delay(forMs);
  for (const place of places) instances[place]?.thaw();
}

async function breakThings(): Promise<void> {
  await delay(5_000);
  await Promise.all([replace(0), replace(1), freeze([2, 3], 8_000)]);
  // The election takes some seconds; some instances are frozen meanwhile, and one dies with what it knows of it.
  const frozen = freeze([4, 5], 12_000);
  await members.killPrimary();
  await delay(4_000);
  await Promise.all([replace(6), frozen]);
  // The two remaining members have no majority without one another, so nobody can draw for a while.
  await members.cutOffPrimary(9_000);
  await delay(15_000);
  await Promise.all([replace(7), freeze([0], 6_000)]);
}

it('eight processes accept no more of a client than the limit in any window, whatever is killed or frozen', async () => {
  const clients: ClientOfAll[] = [];
  const untilMs = Date.now() + seconds * 1_000;
  const urls = () => instances.map(({ url }) => url);
  const beginning = setInterval(() => {
    for (const { path, limit } of operations) clients.push(createClientOfAll({ urls, path, limit, untilMs }));
  }, newClientEveryMs);
  await breakThings();
  await delay(Math.max(0, untilMs - Date.now()));
  clearInterval(beginning);
  await Promise.all(clients.map(({ ended }) => ended));

  report(clients);
  expect(clients.length).toBeGreaterThanOrEqual(20);
  let unanswered = 0;
  for (const { address, limit, acceptedByWindow, counts } of clients) {
    unanswered += counts.cut + counts.unknown;
    for (const accepted of acceptedByWindow())
      expectFor(`accepted of ${address} in a window of ${limit}`, accepted).toBeLessThanOrEqual(limit);
  }
  // Clients that had a whole window used most of it; the rest may be points that died with an instance.
  const early = clients.filter(({ beganAtMs }) => beganAtMs < untilMs - 60_000);
  for (const { address, limit, acceptedByWindow } of early)
    expectFor(`accepted of ${address}`, Math.max(...acceptedByWindow())).toBeGreaterThan(limit / 2);
  expect(unanswered).toBeGreaterThan(0);
}, 300_000);

/** Writes the results to the artifacts. */
function report(clients: readonly ClientOfAll[]): void {
  const figures = clients.map(({ limit, counts, acceptedByEnd }) => ({
    limit,
    ...counts,
    acceptedByEnd: acceptedByEnd(),
  }));
  mkdirSync(artifacts, { recursive: true });
  writeFileSync(join(artifacts, 'limits-killed.json'), `${JSON.stringify(figures, null, 1)}\n`);
}
