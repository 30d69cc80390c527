import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect } from '@jest/globals';
import { mongo } from 'mongoose';
import type { PublishedBatch, PublisherHealth, TickAnswer } from '../../../contract/schemas/publisher.js';
import { intentHash } from '../../../contract/verification/intent-hash.js';
import { type Balancer, startBalancer } from '../../../scripts/lib/balancer.js';
import { type ReferenceOracle, startReferenceOracle } from '../../../scripts/reference-oracle/index.js';
import { type SimulatedAnchors, startSimulatedAnchors } from '../../../scripts/simulated-anchors/index.js';
import { exitCodes, verifyService } from '../../../scripts/verify-service.js';
import { type ServiceProcess, startServiceProcess } from '../../fixtures/edge/service-process.js';
import { itWithMongoTools, runMongoTool } from '../../fixtures/operations/mongo-tools.js';
import { type Receiver, startReceiver } from '../../fixtures/webhooks/receiver.js';
import { testAdminKey, testCronSecret } from '../../support/app.js';
import { type PrivateMongo, privateMongo } from '../../support/database.js';
import { expectFor } from '../../support/expect-for.js';
import { runProgram } from '../../support/run-program.js';
import { waitFor } from '../../support/wait-for.js';
import { type Acknowledged, anyAddress, type Load, run, someone, startLoad } from './load.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const guide = readFileSync(join(root, 'docs/operations/run.md'), 'utf8');
const publisherSecretKey = '15'.repeat(32);
let folder: string;
let archive: string;
let lost: PrivateMongo;
let restored: PrivateMongo;
let oracle: ReferenceOracle;
let anchors: SimulatedAnchors;
let receiver: Receiver;
let service: ServiceProcess;
/** The public address of the service. */
let balancer: Balancer;
/** The mongods that have not been lost. */
const mongods = new Set<PrivateMongo>();

// The test loses a database, so a retry needs another one.
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fairlead-restore-'));
  archive = join(folder, 'fairlead.gz');
  [lost, restored] = await Promise.all([privateMongo(), privateMongo()]);
  mongods.clear();
  mongods.add(lost).add(restored);
  balancer = await startBalancer(() => [service.port]);
  oracle = await startReferenceOracle({ clock: Date.now });
  receiver = await startReceiver();
  anchors = await startSimulatedAnchors({
    clock: Date.now,
    random: () => 0.5,
    anchors: ['harbour', 'squall'],
    latencyFactor: 0,
    pace: 0.05,
    tickMs: 100,
  });
  for (const anchor of anchors.anchors) anchor.setProfile({ outage: null });
}, 180_000);
afterEach(async () => {
  await service?.end('SIGKILL');
  await anchors?.stop();
  await receiver?.stop();
  await oracle?.stop();
  await balancer?.stop();
  for (const mongod of mongods) await mongod.stop();
  rmSync(folder, { recursive: true });
}, 60_000);

async function start(mongod: PrivateMongo): Promise<void> {
  service = await startServiceProcess({
    mongodbUri: mongod.uri,
    stdout: 'ignore',
    simulated: anchors,
    env: {
      PUBLIC_URL: balancer.url,
      CRON_SECRET: testCronSecret,
      ADMIN_SECRET_KEY: testAdminKey,
      PUBLISHER_SECRET_KEY: publisherSecretKey,
      ORACLE_URL: oracle.url,
      OUTBOUND_ALLOW: [...anchors.allow, receiver.origin].join(','),
    },
  });
}

/** The guide's command that begins with this text, with the addresses and files of this test. */
function command(begin: string, mongod: PrivateMongo): string {
  const line =
    guide
      .split('\n')
      .find((one) => one.trim().startsWith(begin))
      ?.trim() ?? '';
  const { searchParams, host } = new URL(mongod.uri);
  return line
    .replace(/'mongodb:[^']+'/, `mongodb://${host}/?replicaSet=${searchParams.get('replicaSet')}`)
    .replace('fairlead.gz', archive);
}

/** Runs a program of this repository on the restored database, as an operator does. */
async function program(path: string, ...args: string[]) {
  const { PATH = '' } = process.env;
  return runProgram(process.execPath, ['--import', 'tsx', join(root, path), ...args], {
    cwd: root,
    env: {
      PATH,
      MONGODB_URI: restored.uri,
      ORACLE_URL: oracle.url,
      PUBLISHER_SECRET_KEY: publisherSecretKey,
    },
  });
}

/** Verifies the service and remembers its head, as a regular verifier does. */
async function verify(): Promise<{ code: number; said: string }> {
  const said: string[] = [];
  const code = await verifyService(
    [balancer.url, '--oracle', new URL(oracle.url).origin, '--remember', join(folder, 'heads.json')],
    { say: (line) => said.push(line), wait: (waitMs) => delay(waitMs), now: () => new Date().toISOString() },
  );
  return { code, said: said.join('\n') };
}

async function register(path: string): Promise<string> {
  const body = {
    url: receiver.origin + path,
    events: ['publisher.tick', 'intent.settled', 'dispute.created'] as const,
    secret: 'a secret of sixteen characters',
  };
  const answer = await someone(service.url, { adminKey: testAdminKey }).webhooks.createWebhook({
    body: { ...body, events: [...body.events] },
  });
  if (answer.status !== 201) throw new Error(`the webhook was answered with ${answer.status}`);
  return answer.body.id;
}

const idsAt = (path: string) =>
  receiver.received.filter((one) => one.path === path).map(({ headers }) => String(headers['webhook-id']));

async function get<Body>(path: string): Promise<{ status: number; body: Body }> {
  const answer = await fetch(service.url + path, { headers: anyAddress() });
  return { status: answer.status, body: (await answer.json()) as Body };
}

/** Sends a callback as the anchor would, but without a signature that can be verified. */
function postTo(callbackUrl: string): Promise<Response> {
  const headers = { 'content-type': 'application/json', signature: 't=1, s=AA==', ...anyAddress() };
  return fetch(callbackUrl, { method: 'POST', headers, body: JSON.stringify({ transaction: { id: 'x' } }) });
}

/** Waits until the oracle has this many batches. */
async function untilOracleHas(count: number, load: Load): Promise<void> {
  await waitFor(() => expect(oracle.taken().length).toBeGreaterThanOrEqual(count), {
    timeout: 90_000,
  }).finally(load.throwIfFailed);
}

/** Checks that every acknowledged intent and dispute of these is in the database. */
async function expectAll(acknowledged: readonly Acknowledged[], mongod: PrivateMongo): Promise<void> {
  const client = new mongo.MongoClient(mongod.uri);
  const of = (kind: string) => acknowledged.filter((one) => one.kind === kind).map(({ id }) => id);
  try {
    for (const [kind, name] of [
      ['intent', 'intents'],
      ['dispute', 'disputes'],
    ] as const) {
      const collection = client.db().collection<{ _id: string }>(name);
      expectFor(name, of(kind).length).toBeGreaterThan(0);
      expectFor(name, await collection.countDocuments({ _id: { $in: of(kind) } })).toBe(of(kind).length);
    }
  } finally {
    await client.close();
  }
}

describe('a backup that was taken under load', () => {
  itWithMongoTools(
    'is restored after the database was lost, and the published log goes on without a fork',
    async () => {
      await start(lost);
      await register('/kept');
      const removed = await register('/removed');
      const load = startLoad(service.url, anchors);
      await untilOracleHas(3, load);
      await waitFor(
        () => expect(load.acknowledged.filter(({ kind }) => kind === 'dispute').length).toBeGreaterThan(1),
        {
          timeout: 90_000,
        },
      );

      const began = Date.now();
      await runMongoTool(command('mongodump', lost));
      const ended = Date.now();
      const inBackup = load.acknowledged.filter(({ at }) => at < began);
      const meanwhile = load.acknowledged.filter(({ at }) => at >= began && at < ended);
      const published = oracle.taken().length;
      expect(meanwhile.length).toBeGreaterThan(0);

      const admin = () => someone(service.url, { adminKey: testAdminKey }).webhooks;
      expect((await admin().deleteWebhook({ params: { id: removed } })).status).toBe(200);
      await untilOracleHas(published + 3, load);
      const since = load.acknowledged.filter(({ kind, at }) => kind === 'intent' && at >= ended);
      expect(since.length).toBeGreaterThan(0);
      await load.stop();
      expect((await verify()).code).toBe(exitCodes.verified);

      // The database is lost; the oracle, the receivers and the anchors are not.
      await service.end('SIGKILL');
      await lost.stop();
      mongods.delete(lost);
      const recordBefore = oracle.taken().map((batch) => JSON.stringify(batch));
      const seenBefore = { kept: new Set(idsAt('/kept')), removed: idsAt('/removed').length };

      await runMongoTool(command('mongorestore', restored));
      await expectAll(inBackup, restored);
      const paused = await program('server/cli.ts', 'pause-webhooks');
      expectFor(paused.stderr, paused.status).toBe(0);
      expect(JSON.parse(paused.stdout).paused).toHaveLength(2);
      await start(restored);

      // While the log is behind, nothing is published from the backup's state, however much there is to publish.
      const behind = startLoad(service.url, anchors);
      await waitFor(() => expect(behind.acknowledged.length).toBeGreaterThan(6), { timeout: 90_000 });
      await behind.stop();
      await run(service.url, '/api/reputation/refresh');
      const held = await run<TickAnswer>(service.url, '/api/publisher/tick');
      expect(held.body).toMatchObject({ result: 'held', failure: 'log_behind', made: [] });
      const { body: health } = await get<PublisherHealth>('/api/publisher/health');
      expect(health).toMatchObject({ status: 'failing', reason: 'log_behind' });
      expect(await verify()).toMatchObject({
        code: exitCodes.refuted,
        said: expect.stringContaining('are gone'),
      });
      expect(oracle.taken().map((batch) => JSON.stringify(batch))).toEqual(recordBefore);

      // Intents registered after the backup are unknown, and the same terms register the same intent again.
      const terms = since[0]?.terms;
      if (terms === undefined) throw new Error('no intent was registered after the backup');
      const params = { intentHash: intentHash(terms) };
      expect((await someone(service.url).intents.getIntent({ params })).status).toBe(404);
      const callbackUrl = (since[0]?.statusCallbackUrl ?? '').replace(/^https?:\/\/[^/]+/, service.url);
      expect((await postTo(callbackUrl)).status).toBe(404);
      const again = await someone(service.url).intents.createIntent({ body: terms });
      expect(again).toMatchObject({ status: 201, body: params });

      const taken = await program('server/cli.ts', 'take-batches');
      expectFor(taken.stderr, taken.status).toBe(0);
      const report = JSON.parse(taken.stdout);
      expect(report).toMatchObject({ head: { sequence: recordBefore.length } });
      expect(report.taken.length).toBeGreaterThanOrEqual(3);
      // The restored cards may equal the last published ones; more outcomes make them differ.
      const after = startLoad(service.url, anchors);
      await untilOracleHas(recordBefore.length + 1, after);
      await after.stop();
      expect((await get<PublisherHealth>('/api/publisher/health')).body).toMatchObject({ status: 'ok' });
      await expectOneHistory(recordBefore);
      const verified = await verify();
      expectFor(verified.said, verified.code).toBe(exitCodes.verified);
      expect(verified.said).toContain('still holds batch');

      await expectQuietUntilEnabled(seenBefore.removed, removed);
      await expectEventsOfBackup(seenBefore.kept);
      const rebuilt = await program('server/cli.ts', 'rebuild');
      expectFor(rebuilt.stdout + rebuilt.stderr, rebuilt.status).toBe(0);
    },
    600_000,
  );
});

/** The service, the oracle before the loss and the oracle now have the same batches, byte for byte, each sequence once. */
async function expectOneHistory(recordBefore: readonly string[]): Promise<void> {
  const now = oracle.taken();
  expect(now.slice(0, recordBefore.length).map((batch) => JSON.stringify(batch))).toEqual(recordBefore);
  expect(now.map(({ header }) => header.sequence)).toEqual(now.map((_, index) => index + 1));
  for (const { header, signature, publicKey, receipt } of now) {
    const { body } = await get<PublishedBatch>(`/api/publisher/batches/${header.sequence}`);
    expect(body).toMatchObject({ header, signature, publicKey, receipt });
  }
}

/** A subscription deleted after the backup exists again, but gets nothing until it is enabled. */
async function expectQuietUntilEnabled(seen: number, removed: string): Promise<void> {
  const admin = someone(service.url, { adminKey: testAdminKey }).webhooks;
  const listed = await admin.listWebhooks({ query: {} });
  if (listed.status !== 200) throw new Error(`the webhooks were answered with ${listed.status}`);
  const { items } = listed.body;
  expect(items.map(({ enabled }) => enabled)).toEqual([false, false]);
  expect((await admin.deleteWebhook({ params: { id: removed } })).status).toBe(200);
  for (const { id } of items.filter((one) => one.id !== removed)) {
    expect((await admin.updateWebhook({ params: { id }, body: { enabled: true } })).status).toBe(200);
  }
  expect(idsAt('/removed')).toHaveLength(seen);
}

/** Every event of the backup has reached the receiver, before or after the restore, under the id in the backup. */
async function expectEventsOfBackup(seenBefore: ReadonlySet<string>): Promise<void> {
  const client = new mongo.MongoClient(restored.uri);
  try {
    const deliveries = client.db().collection<{ eventId: string; state: string }>('deliveries');
    await waitFor(async () => expect(await deliveries.countDocuments({ state: 'pending' })).toBe(0), {
      timeout: 60_000,
    });
    const ids = (await deliveries.find().toArray()).map(({ eventId }) => eventId);
    const received = new Set(idsAt('/kept'));
    expect(ids.filter((id) => !received.has(id))).toEqual([]);
    expect(ids.filter((id) => seenBefore.has(id)).length).toBeGreaterThan(0);
    expect(receiver.faults).toEqual([]);
  } finally {
    await client.close();
  }
}
