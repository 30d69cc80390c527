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
import { startTestApp, type TestApp, testCronSecret } from '../support/app.js';
import { itWhere } from '../support/it-where.js';
import { waitFor } from '../support/wait-for.js';

const guide = readFileSync(new URL('../../docs/operations/deploy.md', import.meta.url), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'fairlead-replica-set-'));
const mongod = await findMongod({ env: { ...process.env, MONGODB_URI: undefined } });
const itWithMongod = itWhere(mongod.kind === 'binary', 'no mongod of its own: docs/operations/deploy.md');
const hosts = ['db1', 'db2', 'db3'].map((name) => `${name}.example.internal`);
const passwords = { admin: 'of-the-administrator', fairlead: 'of-the-service' };

interface Member {
  port: number;
  process: ChildProcess;
}
let members: Member[] = [];
let app: TestApp;

/** The blocks of this language, in order. */
function blocks(language: string): string[] {
  return [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(
    ([, text = '']) => text,
  );
}

/** The text of the guide with the addresses of the members started here. */
function here(text: string): string {
  return hosts.reduce(
    (all, host, index) =>
      all.replaceAll(`${host}:27017`, host).replaceAll(host, `127.0.0.1:${members[index]?.port}`),
    text,
  );
}

/** A member with the configuration of the guide, except for its paths, its port and the addresses it listens on. */
async function startMember(index: number): Promise<Member> {
  const port = await freePort();
  const own = join(folder, `member-${index}`);
  mkdirSync(own);
  const config = parse(blocks('yaml')[0] ?? '');
  config.storage = { ...config.storage, dbPath: own, wiredTiger: { engineConfig: { cacheSizeGB: 0.25 } } };
  config.systemLog = { ...config.systemLog, path: join(own, 'mongod.log') };
  config.net = { ...config.net, port, bindIp: '127.0.0.1' };
  config.security = { ...config.security, keyFile: join(folder, 'mongod.key') };
  const file = join(own, 'mongod.conf');
  writeFileSync(file, stringify(config));
  const path = mongod.kind === 'binary' ? mongod.path : '';
  const child = spawn(path, ['--config', file], { stdio: 'ignore' });
  return { port, process: child };
}

function connectTo({ port }: Member, auth: mongo.MongoClientOptions = {}): Promise<mongo.MongoClient> {
  const options = { directConnection: true, serverSelectionTimeoutMS: 20_000, ...auth };
  return mongo.MongoClient.connect(`mongodb://127.0.0.1:${port}`, options);
}

/** Executes with the driver, as the given user, what the guide types into mongosh. */
async function inMongosh(member: Member, script: string, user?: keyof typeof passwords): Promise<void> {
  const auth = user === undefined ? {} : { auth: { username: user, password: passwords[user] } };
  const client = await connectTo(member, auth);
  const commands: Promise<unknown>[] = [];
  const run = (database: string, command: mongo.Document) =>
    commands.push(client.db(database).command(command));
  const created = Object.keys(passwords).find((name) => script.includes(`user: '${name}'`));
  try {
    runInNewContext(script, {
      rs: { initiate: (config: mongo.Document) => run('admin', { replSetInitiate: config }) },
      db: {
        getSiblingDB: (database: string) => ({
          createUser: ({ user: createUser, ...rest }: { user: string }) =>
            run(database, { createUser, ...rest }),
        }),
      },
      passwordPrompt: () => passwords[created as keyof typeof passwords],
    });
    await Promise.all(commands);
  } finally {
    await client.close();
  }
}

async function hello(member: Member): Promise<mongo.Document> {
  const client = await connectTo(member);
  try {
    return await client.db('admin').command({ hello: 1 });
  } finally {
    await client.close();
  }
}

function first(): Member {
  const [member] = members;
  if (member === undefined) throw new Error('no member was started');
  return member;
}

/** Finds the primary; throws while there is none. */
async function primary(): Promise<Member> {
  for (const member of members) {
    const alive = member.process.exitCode === null && member.process.signalCode === null;
    if (alive && (await hello(member)).isWritablePrimary === true) return member;
  }
  throw new Error('the set has no primary');
}

function register(nonce: string) {
  const account = 'GBXFXNDLV4LSWA4VB7YIL5GBD7BVNR22SGBTDKMO2SBZZHDXSKZYCP7L';
  const body = { account, anchorId: 'harbour', corridor: 'usdc-ngn', sellAmount: '100', nonce };
  return app.client.request<IntentAnswer>('POST', '/api/intent/offramp', { body });
}

beforeAll(async () => {
  if (mongod.kind !== 'binary') return;
  writeFileSync(join(folder, 'mongod.key'), randomBytes(567).toString('base64'), { mode: 0o400 });
  for (const index of hosts.keys()) members = [...members, await startMember(index)];
  const [initiate = '', createAdmin = '', createUser = ''] = blocks('js');
  // All members must answer: a set is not initiated while one of them does not.
  await Promise.all(members.map((member) => waitFor(() => hello(member), { timeout: 60_000 })));
  await inMongosh(first(), here(initiate));
  // As the guide says, users are created on the machine of the elected member.
  const elected = await waitFor(primary, { timeout: 60_000 });
  await inMongosh(elected, createAdmin);
  await inMongosh(elected, createUser, 'admin');
  const uri = /^MONGODB_URI=(\S+)$/m.exec(guide)?.[1] ?? '';
  app = await startTestApp({ uri: here(uri).replace('PASSWORD', passwords.fairlead) });
}, 180_000);

afterAll(async () => {
  await app?.close();
  for (const { process: child } of members) {
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
      (await primary()).process.kill('SIGKILL');
      await waitFor(async () => expect((await register('c'.repeat(32))).status).toBe(201), {
        timeout: 60_000,
      });
      const read = await app.client.request<IntentAnswer>('GET', `/api/intent/${before.body.intentHash}`);
      expect(read.body.intentHash).toBe(before.body.intentHash);
    },
    120_000,
  );
});
