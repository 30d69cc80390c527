import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { mongo } from 'mongoose';
import { NoReleaseBefore, releaseBefore } from '../../../scripts/lib/release-before.js';
import { type ReferenceOracle, startReferenceOracle } from '../../../scripts/reference-oracle/index.js';
import { type SimulatedAnchors, startSimulatedAnchors } from '../../../scripts/simulated-anchors/index.js';
import { readByBoth } from '../../fixtures/upgrade/both-releases.js';
import {
  type EventReceiver,
  receiverSecret,
  startEventReceiver,
} from '../../fixtures/upgrade/event-receiver.js';
import { type Haproxy, startHaproxy } from '../../fixtures/upgrade/haproxy.js';
import { createRotation, type Rotation } from '../../fixtures/upgrade/rotation.js';
import { startUpgradeLoad, type UpgradeLoad } from '../../fixtures/upgrade/upgrade-load.js';
import { testAdminKey, testCronSecret } from '../../support/app.js';
import { type PrivateMongo, privateMongo } from '../../support/database.js';
import { expectFor } from '../../support/expect-for.js';
import { itWhere, runsHere } from '../../support/it-where.js';
import { runProgram } from '../../support/run-program.js';
import { waitFor } from '../../support/wait-for.js';

// The procedure is that of docs/upgrading.md; the proxy is that of deploy/haproxy/haproxy.cfg.

const root = fileURLToPath(new URL('../../../', import.meta.url));
const artifacts = join(root, 'artifacts');

const before = await releaseBefore().catch((error: unknown) => {
  if (error instanceof NoReleaseBefore) return error;
  throw error;
});
const hasHaproxy = runsHere('haproxy', '-v');
const itBehindHaproxy = itWhere(hasHaproxy, 'no haproxy: upgrades behind a proxy that follows readiness');
const itFromTheReleaseBefore =
  before instanceof NoReleaseBefore
    ? itWhere(false, before.message.split('\n')[0] as string)
    : itBehindHaproxy;

let mongod: PrivateMongo;
let anchors: SimulatedAnchors;
let oracle: ReferenceOracle;
let receiver: EventReceiver;
let proxy: Haproxy;
let env: Record<string, string>;
let rotation: Rotation;
const folder = mkdtempSync(join(tmpdir(), 'fairlead-upgrade-'));
/** Answers by upgrade, operation and status, which are written to the artifacts. */
const figures: Record<string, object> = {};

beforeAll(async () => {
  if (!hasHaproxy) return;
  mongod = await privateMongo();
  anchors = await startSimulatedAnchors({
    clock: Date.now,
    random: () => 0.5,
    anchors: ['harbour'],
    latencyFactor: 0,
    pace: 0.02,
    tickMs: 100,
  });
  anchors.anchor('harbour').setProfile({ outage: null });
  oracle = await startReferenceOracle({ clock: Date.now });
  receiver = await startEventReceiver();
  proxy = await startHaproxy();
  const fleetFile = join(folder, 'fleet.json');
  writeFileSync(fleetFile, JSON.stringify(anchors.fleet));
  env = {
    ...anchors.env,
    FLEET_FILE: fleetFile,
    OUTBOUND_ALLOW: [...anchors.allow, receiver.origin].join(','),
    FX_URL: anchors.fxUrl,
    ORACLE_URL: oracle.url,
    PUBLIC_URL: proxy.url,
    ADMIN_SECRET_KEY: testAdminKey,
    CRON_SECRET: testCronSecret,
    WEBHOOK_KEY: '5e'.repeat(32),
    PUBLISHER_SECRET_KEY: '7a'.repeat(32),
    SCHEDULER: 'on',
    DRAIN_SECONDS: '6',
  };
  rotation = createRotation({
    proxy,
    mongodbUri: mongod.uri,
    anchors,
    env,
    releaseBefore: String(before),
    folder,
  });
}, 120_000);
afterAll(async () => {
  await rotation?.end();
  await proxy?.stop();
  await receiver?.stop();
  await oracle?.stop();
  await anchors?.stop();
  await mongod?.stop();
  mkdirSync(artifacts, { recursive: true });
  writeFileSync(join(artifacts, 'upgrades.json'), `${JSON.stringify(figures, null, 2)}\n`);
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

let registered = false;

/** Registers the webhook, in whichever test runs first. */
async function registerWebhook(): Promise<void> {
  if (registered) return;
  registered = true;
  const events = ['intent.settled', 'dispute.created', 'dispute.resolved'];
  const answer = await fetch(`${proxy.url}/api/admin/webhooks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-admin-key': testAdminKey },
    body: JSON.stringify({ url: `${receiver.origin}/events`, events, secret: receiverSecret }),
  });
  expect([answer.status, await answer.text()]).toEqual([201, expect.anything()]);
}

/** Checks that instances of both releases read what either stored, while both run. */
async function bothRead({ settled }: UpgradeLoad): Promise<void> {
  const [old, now] = [rotation.urlOf('old'), rotation.urlOf('now')];
  if (old !== undefined && now !== undefined) await readByBoth(old, now, settled);
}

/**
 * The number of requests that the proxy saw fail, of all clients and calling anchors, and how often it was refused a
 * connection and tried another instance, as where an instance closes its port without having drained.
 */
async function failuresInProxy() {
  const lines = (await proxy.statistics()).filter(({ svname }) => svname === 'BACKEND');
  return lines.map((line) => ({
    backend: line.pxname,
    status5xx: line.hrsp_5xx,
    broken: line.eresp,
    unserved: line.econ,
    refused: line.wretr,
  }));
}

/** Runs the load during `upgrade`; none of its requests may fail, and all of its events must arrive. */
async function underLoad(name: string, upgrade: (load: UpgradeLoad) => Promise<void>): Promise<void> {
  const earlier = await failuresInProxy();
  const load = startUpgradeLoad({ url: proxy.url, anchors });
  try {
    await upgrade(load);
  } finally {
    await load.stop();
    figures[name] = { failed: load.failures.length, ...Object.fromEntries(load.answers) };
  }
  expect(load.failures).toEqual([]);
  expect(await failuresInProxy()).toEqual(earlier);
  const counted = ['read 200', 'register 201', 'attach 200', 'dispute 201', 'decide 200', 'job 200'];
  for (const answer of counted) expectFor(answer, load.answers.get(answer) ?? 0).toBeGreaterThan(5);
  expect([...load.registered].filter((hash) => !load.settled.has(hash))).toEqual([]);
  const due = [
    ...[...load.settled].map((hash) => `intent.settled ${hash}`),
    ...[...load.disputed].flatMap((hash) => [`dispute.created ${hash}`, `dispute.resolved ${hash}`]),
  ];
  // Each event exists once and arrives, perhaps twice.
  await waitFor(() => expect(due.filter((event) => receiver.events.get(event)?.size !== 1)).toEqual([]), {
    timeout: 60_000,
    interval: 500,
  });
  await expectOneLog();
}

/** The published log has no gap, and the oracle has all of its batches. */
async function expectOneLog(): Promise<void> {
  const client = await mongo.MongoClient.connect(mongod.uri);
  try {
    const stored = await client.db().collection('batches').find({}).sort({ _id: 1 }).toArray();
    const sequences = stored.map(({ _id }) => Number(_id));
    const taken = oracle.taken().map(({ header }) => header.sequence);
    expect(sequences.length).toBeGreaterThan(0);
    expect(sequences).toEqual(sequences.map((_, index) => index + 1));
    expect(taken).toEqual(sequences.slice(0, taken.length));
  } finally {
    await client.close();
  }
}

describe('three instances behind HAProxy, replaced one by one under load', () => {
  itFromTheReleaseBefore(
    'by this release, from 2.3.0: no request fails, and both read what either wrote',
    async () => {
      // Ends what a first attempt left.
      await rotation.end();
      await rotation.startAll('8080', 'old');
      await registerWebhook();
      await underLoad('from 2.3.0', async (load) => {
        const migrated = await runProgram(process.execPath, ['--import', 'tsx', 'server/migrate.ts'], {
          cwd: root,
          env: { PATH: process.env.PATH, ...env, MONGODB_URI: mongod.uri },
        });
        expect([migrated.status, migrated.stderr]).toEqual([0, '']);
        await rotation.replaceAll('8080', '8081', 'now', () => bothRead(load));
      });
    },
    600_000,
  );

  itFromTheReleaseBefore(
    'by 2.3.0 again, on data of this release: no request fails, and both read what either wrote',
    async () => {
      await underLoad('back to 2.3.0', (load) =>
        rotation.replaceAll('8081', '8080', 'old', () => bothRead(load)),
      );
    },
    600_000,
  );

  itBehindHaproxy(
    'by this release, from this release: no request fails',
    async () => {
      await rotation.startAll('8081', 'now');
      await rotation.stopAll('old');
      await registerWebhook();
      await underLoad('to itself', () => rotation.replaceAll('8081', '8080', 'now'));
    },
    600_000,
  );
});
