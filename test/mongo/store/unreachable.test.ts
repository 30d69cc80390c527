import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { mongo } from 'mongoose';
import { findMongod } from '../../../scripts/find-mongod.js';
import { freePort } from '../../../scripts/lib/loopback-server.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { claimShape } from '../../../server/mongo/shape-store.js';
import { testDatabase } from '../../support/database.js';
import { itWhere } from '../../support/it-where.js';
import { waitFor } from '../../support/wait-for.js';

const { uri } = testDatabase();
const mongod = await findMongod({ env: { ...process.env, MONGODB_URI: undefined } });
const itHere = itWhere(mongod.kind === 'binary', 'no mongod of its own: what is said of one that is none');
const folder = mkdtempSync(join(tmpdir(), 'fairlead-unreachable-'));
const withPassword = 'mongodb://fairlead:pass-of-ours';
const children: ChildProcess[] = [];
let alone: number;
let uninitiated: number;

async function start(...args: string[]): Promise<number> {
  const port = await freePort();
  const path = mongod.kind === 'binary' ? mongod.path : '';
  const own = `--port ${port} --bind_ip 127.0.0.1 --wiredTigerCacheSizeGB 0.25`.split(' ');
  const dbPath = mkdtempSync(join(folder, 'db-'));
  children.push(spawn(path, [...own, '--dbpath', dbPath, ...args], { stdio: 'ignore' }));
  await waitFor(
    async () =>
      (await mongo.MongoClient.connect(`mongodb://127.0.0.1:${port}/?directConnection=true`)).close(),
    { timeout: 30_000 },
  );
  return port;
}

beforeAll(async () => {
  if (mongod.kind === 'binary')
    [alone, uninitiated] = await Promise.all([start(), start('--replSet', 'rs0')]);
}, 60_000);
afterAll(async () => {
  for (const child of children) {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }
  rmSync(folder, { recursive: true, force: true });
});

const at = (port: number, query = '') => `mongodb://127.0.0.1:${port}/x${query}`;

describe('a database that cannot be used', () => {
  const member = String.raw`^127\.0\.0\.1:\d+`;
  const ofSet = (port: number) => at(port, '?replicaSet=rs0');
  const refusing = async () => ofSet(await freePort()).replace('//', '//u:pass-of-ours@');
  const otherSet = () => uri.replace(/replicaSet=\w+/, 'replicaSet=another');
  const noSet = 'is not a replica set.* run rs\\.initiate\\(\\) there once\\.$';
  itHere.each<[what: string, address: () => string | Promise<string>, says: string]>([
    ['refuses connections', refusing, `${member} refuses connections \\(ECONNREFUSED\\): start mongod there`],
    ['is not known', () => 'mongodb://no-such-host.invalid/x?replicaSet=rs0', 'a name that cannot be found'],
    ['is not initiated', () => ofSet(uninitiated), `${member} is not initiated .*rs.initiate`],
    ['is of another set', otherSet, `${member} is not of the replica set another .*: correct replicaSet`],
    ['is of no set', () => ofSet(alone), `${member} is not of .* rs0 .* mongod with --replSet$`],
    ['is no replica set at all', () => at(alone), `^MongoDB at 127\\.0\\.0\\.1:\\d+ ${noSet}`],
    ['has an unknown option', () => `${withPassword}@127.0.0.1/x?appp=1`, 'appp.*not supported'],
    ['has no certificates', () => `${withPassword}@127.0.0.1/x?tls=true&tlsCAFile=/no/a.pem`, 'ENOENT'],
    ['has a colon in its password', () => `${withPassword}:more@127.0.0.1/x`, 'unescaped|redacted'],
    ['has no port after its password', () => `${withPassword}%2F@host:port/x`, 'port|host'],
  ])('is named, with what is wrong and without its password, where it %s', async (_what, address, says) => {
    const opened = Promise.resolve(address()).then((at) => connectMongo({ uri: at }));
    const used = opened.then((connection) => claimShape(connection).finally(() => connection.close()));
    const failure = await used.catch((error: Error) => error);
    expect(failure?.message).toMatch(new RegExp(says, 'i'));
    expect(failure?.message).not.toContain('pass-of-ours');
  });
});
