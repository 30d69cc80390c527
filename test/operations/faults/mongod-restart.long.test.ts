import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mongo } from 'mongoose';
import { endProcess, isAlive } from '../../../scripts/mongod/processes.js';
import { type RunningMongo, startMongo } from '../../../scripts/mongod/replica-set.js';
import { privateMongo } from '../../support/database.js';

let folder = '';
let dbPath = '';
const started: RunningMongo[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mongod-restart-'));
  dbPath = join(folder, 'mongo');
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((running) => running.stop()));
  await rm(folder, { recursive: true, force: true });
});

async function start(): Promise<RunningMongo> {
  const running = await startMongo({ dbPath, ownProcess: true });
  started.push(running);
  return running;
}

async function withNotes<T>(uri: string, work: (notes: mongo.Collection) => Promise<T>): Promise<T> {
  const client = new mongo.MongoClient(uri, { serverSelectionTimeoutMS: 1_000 });
  try {
    return await work(client.db().collection('notes'));
  } finally {
    await client.close();
  }
}

describe('data of a mongod in a folder', () => {
  it('is found again after a clean stop', async () => {
    const first = await start();
    await withNotes(first.uri, (notes) => notes.insertOne({ text: 'kept' }));
    await first.stop();
    const second = await start();
    expect(await withNotes(second.uri, (notes) => notes.countDocuments({ text: 'kept' }))).toBe(1);
  });

  it('is found again after mongod was killed outright', async () => {
    const first = await start();
    await withNotes(first.uri, (notes) =>
      notes.insertOne({ text: 'kept' }, { writeConcern: { w: 'majority' } }),
    );
    await endByForce(first);
    const second = await start();
    expect(await withNotes(second.uri, (notes) => notes.countDocuments({ text: 'kept' }))).toBe(1);
  });

  it('is found again after ending a mongod that an earlier run left behind', async () => {
    const first = await start();
    await withNotes(first.uri, (notes) => notes.insertOne({ text: 'kept' }));
    const second = await start();
    expect(isAlive(first.pid ?? 0)).toBe(false);
    expect(await withNotes(second.uri, (notes) => notes.countDocuments({ text: 'kept' }))).toBe(1);
  });

  it('is found again and can be written when another program has taken its port', async () => {
    const first = await start();
    await withNotes(first.uri, (notes) => notes.insertOne({ text: 'kept' }));
    await first.stop();
    const port = Number(await readFile(`${dbPath}.port`, 'utf8'));
    const squatter = createServer();
    await new Promise<void>((resolve) => squatter.listen(port, '127.0.0.1', resolve));
    try {
      const second = await start();
      expect(second.uri).not.toContain(`:${port}/`);
      await withNotes(second.uri, (notes) => notes.insertOne({ text: 'kept' }));
      expect(await withNotes(second.uri, (notes) => notes.countDocuments({ text: 'kept' }))).toBe(2);
    } finally {
      await new Promise((resolve) => squatter.close(resolve));
    }
  });

  it('is opened without ending an unrelated process that has the id in the lock file', async () => {
    const first = await start();
    await first.stop();
    await writeFile(join(dbPath, 'mongod.lock'), `${process.pid}\n`);
    await expect(start()).resolves.toMatchObject({ source: expect.stringContaining('version') });
  });

  async function endByForce({ pid = 0 }: RunningMongo): Promise<void> {
    process.kill(pid, 'SIGKILL');
    await endProcess(pid, 5_000);
  }
});

describe('a private mongod', () => {
  it('does not answer while it is stopped, and answers again afterwards', async () => {
    const own = await privateMongo();
    try {
      await withNotes(own.uri, (notes) => notes.insertOne({ text: 'before' }));
      own.freeze();
      await expect(
        withNotes(own.uri, (notes) => notes.countDocuments({}, { timeoutMS: 300 })),
      ).rejects.toThrow();
      own.thaw();
      expect(await withNotes(own.uri, (notes) => notes.countDocuments())).toBe(1);
    } finally {
      await own.stop();
    }
    expect(isAlive(own.pid)).toBe(false);
  });
});
