import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { mongo } from 'mongoose';
import { parse, stringify } from 'yaml';
import type { IntentAnswer } from '../../contract/schemas/intents.js';
import { findMongod } from '../../scripts/find-mongod.js';
import { freePort } from '../../scripts/lib/loopback-server.js';
import { account } from '../fixtures/intents/intent-states.js';
import { startTestApp, type TestApp, testCronSecret } from '../support/app.js';
import { itWhere } from '../support/it-where.js';
import { waitFor } from '../support/wait-for.js';

const guide = readFileSync(new URL('../../docs/operations/deploy.md', import.meta.url), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'fairlead-replica-set-'));
const mongod = await findMongod({ env: { ...process.env, MONGODB_URI: undefined } });
const itWithMongod = itWhere(mongod.kind === 'binary', 'no mongod of its own: docs/operations/deploy.md');
const hosts = ['db1', 'db2', 'db3'].map((name) => `${name}.example.internal`);
const passwords = { admin: 'of-the-administrator', fairlead: 'of-the-service' };
const members = new Map<number, ChildProcess>();
let app: TestApp;

/** The blocks of this language, in order. */
function blocks(language: string): string[] {
  const found = guide.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'));
  return [...found].map(([, text = '']) => text);
}

/** The text of the guide with the addresses of the members started here. */
function here(text: string): string {
  const ports = [...members.keys()];
  return hosts.reduce(
    (all, host, index) => all.replaceAll(`${host}:27017`, host).replaceAll(host, `127.0.0.1:${ports[index]}`),
    text,
  );
}

/** A member with the configuration of the guide, except for its paths, its port and the addresses it listens on. */
async function startMember(): Promise<void> {
  const port = await freePort();
  const own = join(folder, `member-${port}`);
  mkdirSync(own);
  const config = parse(blocks('yaml')[0] ?? '');
  config.storage = { ...config.storage, dbPath: own, wiredTiger: { engineConfig: { cacheSizeGB: 0.25 } } };
  config.systemLog = { ...config.systemLog, path: join(own, 'mongod.log') };
  config.net = { ...config.net, port, bindIp: '127.0.0.1' };
  config.security = { ...config.security, keyFile: join(folder, 'mongod.key') };
  const file = join(own, 'mongod.conf');
  writeFileSync(file, stringify(config));
  const path = mongod.kind === 'binary' ? mongod.path : '';
  members.set(port, spawn(path, ['--config', file], { stdio: 'ignore' }));
}

async function withClient<T>(
  options: mongo.MongoClientOptions,
  use: (client: mongo.MongoClient) => Promise<T>,
): Promise<T> {
  const [first] = [...members.keys()];
  const uri = `mongodb://127.0.0.1:${first}`;
  const client = await mongo.MongoClient.connect(uri, { serverSelectionTimeoutMS: 60_000, ...options });
  return use(client).finally(() => client.close());
}

/** Executes with the driver what the guide types into mongosh. */
function inMongosh(script: string, options: mongo.MongoClientOptions): Promise<unknown> {
  return withClient(options, async (client) => {
    const commands: Promise<unknown>[] = [];
    const run = (database: string, command: mongo.Document) =>
      commands.push(client.db(database).command(command));
    const created = script.includes("user: 'admin'") ? 'admin' : 'fairlead';
    const getSiblingDB = (database: string) => ({
      createUser: ({ user, ...rest }: { user: string }) => run(database, { createUser: user, ...rest }),
    });
    runInNewContext(script, {
      rs: { initiate: (config: mongo.Document) => run('admin', { replSetInitiate: config }) },
      db: { getSiblingDB },
      passwordPrompt: () => passwords[created],
    });
    await Promise.all(commands);
  });
}

function register(nonce: string) {
  const body = { account, anchorId: 'harbour', corridor: 'usdc-ngn', sellAmount: '100', nonce };
  return app.client.request<IntentAnswer>('POST', '/api/intent/offramp', { body });
}

const uri = /^MONGODB_URI=(\S+)$/m.exec(guide)?.[1] ?? '';
const replicaSet = /replicaSet=(\w+)/.exec(uri)?.[1] ?? '';
const asAdmin = { replicaSet, auth: { username: 'admin', password: passwords.admin } };

beforeAll(async () => {
  if (mongod.kind !== 'binary') return;
  writeFileSync(join(folder, 'mongod.key'), randomBytes(567).toString('base64'), { mode: 0o400 });
  for (const _host of hosts) await startMember();
  const [initiate = '', createAdmin = '', createUser = ''] = blocks('js');
  // A set is not initiated while one of its members does not answer yet.
  await waitFor(() => inMongosh(here(initiate), { directConnection: true }), { timeout: 60_000 });
  // Whoever is elected makes the first user, as on its own machine.
  await inMongosh(createAdmin, { replicaSet });
  await inMongosh(createUser, asAdmin);
  app = await startTestApp({ uri: here(uri).replace('PASSWORD', passwords.fairlead) });
}, 180_000);

afterAll(async () => {
  await app?.close();
  for (const child of members.values()) {
    const ended = once(child, 'exit');
    if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await ended;
  }
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

describe('the replica set of docs/operations/deploy.md', () => {
  itWithMongod('gives the service every right that it needs', async () => {
    expect((await app.client.request('GET', '/readyz')).status).toBe(200);
    expect((await register('a'.repeat(32))).status).toBe(201);
    const headers = { authorization: `Bearer ${testCronSecret}` };
    for (const job of ['reputation/reconcile', 'reputation/refresh', 'publisher/tick'])
      expect((await app.client.request('POST', `/api/${job}`, { headers })).status).toBe(200);
    const metrics = await fetch(`${app.url}/metrics`).then((answer) => answer.text());
    expect(metrics).toMatch(/^fairlead_reputation_marks 0$/m);
  });

  itWithMongod(
    'keeps what was acknowledged when the primary is killed, and accepts more after the election',
    async () => {
      const before = await register('b'.repeat(32));
      expect(before.status).toBe(201);
      const told = await withClient(asAdmin, (client) => client.db('admin').command({ hello: 1 }));
      members.get(Number(told.primary.split(':')[1]))?.kill('SIGKILL');
      const isTaken = async () => expect((await register('c'.repeat(32))).status).toBe(201);
      await waitFor(isTaken, { timeout: 60_000 });
      const read = await app.client.request<IntentAnswer>('GET', `/api/intent/${before.body.intentHash}`);
      expect(read.body.intentHash).toBe(before.body.intentHash);
    },
    120_000,
  );
});
