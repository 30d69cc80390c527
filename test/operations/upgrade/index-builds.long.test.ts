import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mongo } from 'mongoose';
import { newNonce } from '../../../contract/verification/nonce.js';
import { type SimulatedAnchors, startSimulatedAnchors } from '../../../scripts/simulated-anchors/index.js';
import { type IntentDocument, toDocument } from '../../../server/features/intents/store.js';
import { type ServiceProcess, startServiceProcess } from '../../fixtures/edge/service-process.js';
import { unpaidIntent } from '../../fixtures/intents/stored-intents.js';
import { type PrivateMongo, privateMongo } from '../../support/database.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const planted = 300_000;
/** Indexes that the earlier release does not have. */
const added = ['payouts', 'contradicted', 'expired_unpaid'];

let mongod: PrivateMongo;
let client: mongo.MongoClient;
let intents: mongo.Collection<IntentDocument>;
let anchors: SimulatedAnchors;
let old: ServiceProcess;
const others: ServiceProcess[] = [];
const folder = mkdtempSync(join(tmpdir(), 'fairlead-index-'));
const fleetFile = join(folder, 'fleet.json');

beforeAll(async () => {
  mongod = await privateMongo();
  client = await mongo.MongoClient.connect(mongod.uri);
  intents = client.db().collection('intents');
  anchors = await startSimulatedAnchors({ clock: Date.now, random: () => 0.5, anchors: ['harbour'] });
  writeFileSync(fleetFile, JSON.stringify(anchors.fleet));
  old = await start();
  // Leaves the database as an instance of a release without these indexes would.
  for (const name of added) await intents.dropIndex(name);
  for (let from = 0; from < planted; from += 10_000) await intents.insertMany(paidIntents(from, 10_000));
}, 240_000);
afterAll(async () => {
  await Promise.all([old, ...others].map((one) => one?.end('SIGKILL')));
  await anchors?.stop();
  await client?.close();
  await mongod?.stop();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

function start(): Promise<ServiceProcess> {
  return startServiceProcess({ mongodbUri: mongod.uri, stdout: 'ignore', simulated: anchors });
}

function paidIntents(from: number, count: number): IntentDocument[] {
  return Array.from({ length: count }, (_, nth) => {
    const outcome = { kind: 'settled', reason: null, recordedAt: new Date(1e12 + from + nth) };
    const changes = {
      status: 'settled',
      open: false,
      client: null,
      outcome,
      transactionId: `t${from + nth}`,
    };
    return { ...toDocument(unpaidIntent(from + nth, changes as object)), unfolded: false };
  });
}

const indexNames = async () => (await intents.indexes()).map(({ name }) => name).sort();

/** The index builds that MongoDB is running in this collection. */
async function listBuilds(): Promise<object[]> {
  const asked = { currentOp: 1, $all: true, ns: `${client.db().databaseName}.intents`, msg: /^Index Build/ };
  const { inprog } = await client.db('admin').command(asked);
  const commands = (inprog as { command?: { createIndexes?: string } }[]).map(({ command }) => command);
  return commands.filter((command) => command?.createIndexes === 'intents') as object[];
}

async function untilBuilding(): Promise<void> {
  while ((await listBuilds()).length === 0) await delay(5);
}

/** Collects what listBuilds shows until `over` settles: the commands, and when. */
async function watchBuilds(over: Promise<unknown>) {
  const seen = { commands: new Set<string>(), firstMs: Number.POSITIVE_INFINITY, lastMs: 0 };
  let goesOn = true;
  void over.finally(() => {
    goesOn = false;
  });
  while (goesOn) {
    for (const command of await listBuilds()) {
      seen.commands.add(JSON.stringify(command));
      seen.firstMs = Math.min(seen.firstMs, performance.now());
      seen.lastMs = performance.now();
    }
    await delay(10);
  }
  return seen;
}

interface Asked {
  status: number;
  startedMs: number;
  endedMs: number;
}

/** Registers intents and reads them back until `over` settles, several at a time, each from an address of its own. */
async function useInstance({ url }: ServiceProcess, over: Promise<unknown>): Promise<Asked[]> {
  const answers: Asked[] = [];
  let goesOn = true;
  void over.finally(() => {
    goesOn = false;
  });
  const ask = async (path: string, init: RequestInit) => {
    const startedMs = performance.now();
    const answer = await fetch(`${url}${path}`, init);
    const body = (await answer.json()) as { intentHash: string };
    answers.push({ status: answer.status, startedMs, endedMs: performance.now() });
    return body;
  };
  const account = 'GBXFXNDLV4LSWA4VB7YIL5GBD7BVNR22SGBTDKMO2SBZZHDXSKZYCP7L';
  let clients = 0;
  const one = async () => {
    while (goesOn) {
      clients += 1;
      const headers = {
        'content-type': 'application/json',
        'x-forwarded-for': `203.${clients >> 16}.${(clients >> 8) & 255}.${clients & 255}`,
      };
      const terms = {
        corridor: 'usdc-ngn',
        anchorId: 'harbour',
        account,
        sellAmount: '100',
        nonce: newNonce(),
      };
      const { intentHash } = await ask('/api/intent/offramp', {
        method: 'POST',
        headers,
        body: JSON.stringify(terms),
      });
      await ask(`/api/intent/${intentHash}`, { headers });
    }
  };
  await Promise.all([one(), one(), one(), one()]);
  return answers;
}

/** Runs the program, which must fail; returns the exit code and its standard error. */
async function startAndFail(): Promise<{ code: number | null; said: string }> {
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, ['--import', 'tsx', 'server/main.ts'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH, PORT: '0', MONGODB_URI: mongod.uri, FLEET_FILE: fleetFile, SCHEDULER: 'off' },
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return { said: await text(child.stderr), code: await ended };
}

describe('indexes that a release adds to 300,000 intents', () => {
  it('are built once, by whichever new instance comes first, while the old one reads and writes', async () => {
    const starting = Promise.all([start(), start()]);
    const [started, builds, answers] = await Promise.all([
      starting,
      watchBuilds(starting),
      useInstance(old, starting),
    ]);
    others.push(...started);
    expect(await indexNames()).toEqual(expect.arrayContaining(added));
    expect(builds.commands.size).toBe(1);
    const failed = answers.filter(({ status }) => status !== 200 && status !== 201);
    expect(failed).toEqual([]);
    const during = answers.filter(
      ({ startedMs, endedMs }) => startedMs > builds.firstMs && endedMs < builds.lastMs,
    );
    expect(during.filter(({ status }) => status === 201).length).toBeGreaterThan(5);
    expect(during.filter(({ status }) => status === 200).length).toBeGreaterThan(5);
  }, 240_000);

  it('are waited for through a database that stands still in the middle of the build', async () => {
    await intents.dropIndex('payouts');
    const starting = start();
    await untilBuilding();
    mongod.freeze();
    await delay(6_000);
    mongod.thaw();
    others.push(await starting);
    expect(await indexNames()).toContain('payouts');
  }, 120_000);

  it('are not built where two documents have the same value: the start ends with a sentence, and nothing is changed', async () => {
    await intents.dropIndex('one_intent_per_payment');
    await intents.updateMany({ _id: { $in: [hashOf(1), hashOf(2)] } }, { $set: { paymentId: 'paid once' } });
    const before = { indexes: await indexNames(), doubled: await doubled() };
    const { code, said } = await startAndFail();
    expect(code).toBe(1);
    expect(said).toMatch(
      /^IndexError: An index of the collection intents cannot be built, and none was added to it: .*E11000.*one_intent_per_payment.*\n$/,
    );
    expect({ indexes: await indexNames(), doubled: await doubled() }).toEqual(before);
    await intents.updateOne({ _id: hashOf(2) }, { $unset: { paymentId: '' } });
    others.push(await start());
    expect(await indexNames()).toContain('one_intent_per_payment');
  }, 120_000);
});

const hashOf = (index: number) => index.toString(16).padStart(64, '0');
const doubled = () => intents.find({ paymentId: 'paid once' }).toArray();
