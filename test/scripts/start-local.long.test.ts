import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mongo } from 'mongoose';
import { freePort } from '../../scripts/lib/loopback-server.js';
import { commandLine, endProcess } from '../../scripts/mongod/processes.js';
import { withDatabase } from '../../scripts/mongod/uri.js';
import { testDatabase } from '../support/database.js';
import { testRun } from '../support/test-run.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const upTimeoutMs = 120_000;

/** One `npm start`, in a process group of its own as in a terminal. */
interface Start {
  child: ChildProcess;
  output(): string;
  /** Resolves with the exit code; null when it was killed. */
  ended: Promise<number | null>;
}

let folder = '';
let port = 0;
const starts: Start[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'start-local-'));
  port = await freePort();
});
afterEach(async () => {
  for (const { child, ended } of starts.splice(0)) {
    child.kill('SIGTERM');
    await ended;
  }
  await endProcess(await mongodPid(), 5_000);
  await rm(folder, { recursive: true, force: true });
});

function start(env: Record<string, string> = {}): Start {
  const child = spawn(process.execPath, ['--import', 'tsx', 'scripts/start-local.ts', '--data', folder], {
    cwd: root,
    env: { ...process.env, PORT: String(port), MONGODB_URI: '', FLEET_FILE: '', NODE_ENV: '', ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const started = { child, output: () => output, ended };
  starts.push(started);
  return started;
}

async function untilUp(started: Start): Promise<void> {
  const deadline = Date.now() + upTimeoutMs;
  while (!started.output().includes('Ctrl-C stops all of it.')) {
    if (started.child.exitCode !== null || Date.now() > deadline)
      throw new Error(`not up:\n${started.output()}`);
    await sleep(50);
  }
}

/** Sends the signal to the whole group, as a terminal does on Ctrl-C. */
function pressCtrlC({ child }: Start): void {
  process.kill(-(child.pid ?? 0), 'SIGINT');
}

async function mongodPid(): Promise<number> {
  return Number(await readFile(join(folder, 'mongo/mongod.lock'), 'utf8').catch(() => ''));
}

const printedKey = (started: Start) => /Admin key +(\S+)/.exec(started.output())?.[1] ?? '';

async function onDatabase<T>(work: (notes: mongo.Collection) => Promise<T>): Promise<T> {
  const mongoPort = (await readFile(join(folder, 'mongo.port'), 'utf8')).trim();
  const client = new mongo.MongoClient(`mongodb://127.0.0.1:${mongoPort}/fairlead?replicaSet=fairlead`);
  try {
    return await work(client.db().collection('test_notes'));
  } finally {
    await client.close();
  }
}

/** The names of the collections in a database on the replica set of the run. */
async function collectionsIn(database: string): Promise<string[]> {
  const client = new mongo.MongoClient(testRun.mongoUri);
  try {
    const listed = await client.db(database).listCollections({}, { nameOnly: true }).toArray();
    return listed.map(({ name }) => name).sort();
  } finally {
    await client.close();
  }
}

describe('npm start', () => {
  it('prints commands that work when pasted, refuses a second start, and leaves nothing running after Ctrl-C', async () => {
    const first = start();
    await untilUp(first);
    const page = /Open this +(\S+)/.exec(first.output())?.[1] ?? '';
    const html = await fetch(page);
    expect([html.status, await html.text()]).toEqual([200, expect.stringContaining('<div id="app">')]);
    const rates = /curl '(\S+\/api\/rates\/\S+)'/.exec(first.output())?.[1] ?? '';
    const answer = await fetch(rates);
    expect(answer.status).toBe(200);
    const { quotes } = (await answer.json()) as { quotes: { reputation: { score: string | null } }[] };
    expect(quotes.some(({ reputation }) => reputation.score !== null)).toBe(true);
    const observed = await fetch(`${page}api/anchors/harbour/observations?window=7`);
    expect(await observed.text()).not.toContain('too_few_observations');
    const invalidated = await fetch(`http://127.0.0.1:${port}/api/admin/cache/invalidate`, {
      method: 'POST',
      headers: { 'X-Admin-Key': printedKey(first) },
    });
    expect(invalidated.status).toBe(200);
    expect((await stat(join(folder, 'secrets.json'))).mode & 0o777).toBe(0o600);

    const second = start();
    expect(await second.ended).toBe(1);
    expect(second.output()).toContain(`A service already runs on ${folder} (process ${first.child.pid})`);

    const mongod = await mongodPid();
    expect(await commandLine(mongod)).toContain('mongod');
    pressCtrlC(first);
    expect(await first.ended).toBe(0);
    expect(first.output()).not.toMatch(/Could not stop|\n\s+at /);
    expect(await commandLine(mongod)).toBe('');
    expect(existsSync(join(folder, 'start.pid'))).toBe(false);
  }, 400_000);

  it('finds its data and its keys again, after a clean stop and after being killed outright', async () => {
    const first = start();
    await untilUp(first);
    await onDatabase((notes) => notes.insertOne({ kept: true }, { writeConcern: { w: 'majority' } }));
    pressCtrlC(first);
    await first.ended;

    const second = start();
    await untilUp(second);
    expect(printedKey(second)).toBe(printedKey(first));
    expect(await onDatabase((notes) => notes.countDocuments())).toBe(1);
    second.child.kill('SIGKILL');
    await second.ended;

    const third = start();
    await untilUp(third);
    expect(await onDatabase((notes) => notes.countDocuments())).toBe(1);
  }, 400_000);

  it('names the port that is taken, and leaves nothing behind', async () => {
    const squatter = createServer();
    await new Promise<void>((resolve) => squatter.listen(port, '127.0.0.1', resolve));
    try {
      const refused = start();
      expect(await refused.ended).toBe(1);
      expect(refused.output().trim()).toBe(
        `Port ${port} is taken by another program. Start on another one, such as: PORT=${port + 1} npm start`,
      );
      expect(existsSync(join(folder, 'mongo'))).toBe(false);
    } finally {
      await new Promise((resolve) => squatter.close(resolve));
    }
  });

  it('stops what it has started when Ctrl-C arrives before it is up', async () => {
    const early = start();
    const deadline = Date.now() + upTimeoutMs;
    while (!((await mongodPid()) > 0) && Date.now() < deadline) await sleep(20);
    const mongod = await mongodPid();
    pressCtrlC(early);
    expect(await early.ended).toBe(0);
    expect(early.output()).not.toContain('Fairlead is up.');
    expect(await commandLine(mongod)).toBe('');
  });
});

describe('npm start on a MongoDB of your own', () => {
  const named = testDatabase();

  it('refuses an address without a database, and writes its history into the one that is named', async () => {
    const refused = start({ MONGODB_URI: withDatabase(testRun.mongoUri, '') });
    expect(await refused.ended).toBe(1);
    expect(refused.output()).toContain('MONGODB_URI must name a database');
    const first = start({ MONGODB_URI: named.uri });
    await untilUp(first);
    expect(first.output()).toMatch(/Generated a history of \d+ simulated off-ramps/);
    expect(await collectionsIn(named.name)).toContain('intents');
  }, 400_000);
});
