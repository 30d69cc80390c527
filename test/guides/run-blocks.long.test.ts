import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import type { RatesAnswer } from '../../contract/schemas/rates.js';
import { freePort } from '../../scripts/lib/free-port.js';
import { rateSamples } from '../fixtures/rates/rate-samples.js';
import { startTestApp, type TestApp, testAdminKey, testCronSecret } from '../support/app.js';
import { testDatabase } from '../support/database.js';
import { itWhere, python3, runsHere } from '../support/it-where.js';
import { type Ended, runProgram } from '../support/run-program.js';
import { waitFor } from '../support/wait-for.js';
import { blockOf } from './fenced-blocks.js';

/*
 * Runs the blocks of README.md, docs/intents.md, docs/publisher.md, docs/rates.md, docs/reputation.md and docs/webhooks.md
 * as printed. Only two things differ: the port, since the printed one may be taken, and the key, which
 * they leave open.
 */
const root = fileURLToPath(new URL('../../', import.meta.url));
const itInShell = itWhere(
  runsHere('bash', '--version') && runsHere('curl', '--version'),
  'no bash or no curl: the commands of the guides',
);
const itWithPython = itWhere(
  python3 && runsHere('curl', '--version'),
  'no python3 or no curl: the computations of the guides',
);
const database = testDatabase();
const samples = rateSamples(database);
const folder = mkdtempSync(join(tmpdir(), 'fairlead-blocks-'));
let app: TestApp;
let receiverPort: number;
const running: ChildProcess[] = [];

beforeAll(async () => {
  receiverPort = await freePort();
  app = await startTestApp({
    uri: database.uri,
    env: { PUBLISHER_SECRET_KEY: '7f'.repeat(32) },
    allow: [`http://127.0.0.1:${receiverPort}`],
  });
  const headers = { authorization: `Bearer ${testCronSecret}` };
  for (const path of ['/api/reputation/refresh', '/api/publisher/tick'])
    expect((await app.client.request('POST', path, { headers })).status).toBe(200);
}, 60_000);
afterAll(async () => {
  for (const child of running) child.kill();
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The text with the ports of this test in place of the printed ones. */
function here(text: string): string {
  const { host } = new URL(app.url);
  return text
    .replaceAll(/(127\.0\.0\.1|localhost):8080/g, host)
    .replaceAll('127.0.0.1:9099', `127.0.0.1:${receiverPort}`);
}

function runInShell(text: string): Promise<Ended> {
  // With a socket on its standard input, Bash would assume a remote shell and read the start-up file of the machine.
  return runProgram('bash', ['--norc', '-euo', 'pipefail', '-c', here(text)], {
    cwd: root,
    env: { ...process.env, KEY: testAdminKey },
  });
}

/** Runs a program that uses the package's exports. */
async function runProgramText(text: string): Promise<Ended> {
  const source = join(folder, 'program.ts');
  const outfile = join(folder, 'program.mjs');
  writeFileSync(source, here(text));
  await build({
    entryPoints: [source],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    alias: { '@fairlead/contract': fileURLToPath(new URL('../../contract/index.ts', import.meta.url)) },
    nodePaths: [join(root, 'node_modules')],
    logLevel: 'silent',
  });
  return runProgram(process.execPath, [outfile]);
}

/** Runs `npm run receiver` as in a block, on the port of this test. Returns a function that gives its output so far. */
function startReceiver(): () => string {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', 'scripts/webhook-receiver.ts', '--port', String(receiverPort)],
    { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  running.push(child);
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  return () => printed;
}

/** The block without the lines that are for other terminals, or that set the key. */
function withoutOthers(text: string): string {
  return text
    .split('\n')
    .filter((line) => !/^(npm |KEY=)/.test(line))
    .join('\n');
}

describe('the commands of README.md', () => {
  it('ask for quotes in a front end', async () => {
    const { status, stdout, stderr } = await runProgramText(blockOf('README.md', /createClient/).text);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/\(simulated\) \d+\.\d\d/);
  });
});

describe('the commands about webhooks', () => {
  itInShell(
    'of docs/webhooks.md register a webhook and send it a test that the receiver verifies',
    async () => {
      const printed = startReceiver();
      await waitFor(() => expect(printed()).toContain(String(receiverPort)), { timeout: 30_000 });
      const tested = await runInShell(withoutOthers(blockOf('docs/webhooks.md', /npm run receiver/).text));
      expect(tested.status).toBe(0);
      const { eventId } = JSON.parse(tested.stdout) as { eventId: string };
      await waitFor(() => expect(printed()).toContain(eventId), { timeout: 30_000 });
    },
    90_000,
  );
});

describe('the history of docs/rates.md', () => {
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const ofYesterday = (pattern: RegExp) =>
    runInShell(blockOf('docs/rates.md', pattern).text.replaceAll('2026-11-21', yesterday));

  itInShell('give a day as CSV', async () => {
    const { body } = await app.client.request<RatesAnswer>('GET', '/api/rates/usdc-ngn');
    await samples.add('usdc-ngn', [{ at: Date.parse(`${yesterday}T09:31:00Z`), answer: body }]);
    const { status, stdout } = await ofYesterday(/^curl .*text\/csv/);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^at,corridor,.*\r\n.*,usdc-ngn,100,/);
  });
});

describe('the computations', () => {
  itWithPython('of docs/reputation.md and docs/rates.md agree with the running service', async () => {
    const scores = await runInShell(blockOf('docs/reputation.md', /^curl /).text);
    expect([scores.status, scores.stderr]).toEqual([0, '']);
    const { stdout } = scores;
    const [, agreed, all] = /^(\d+) of (\d+) cards agree/.exec(stdout) ?? [];
    expect(agreed).toBe(all);
    const rates = await runInShell(blockOf('docs/rates.md', /^curl .*recompute_quotes/).text);
    expect([rates.status, rates.stderr]).toEqual([0, '']);
  });

  itInShell('of docs/rates.md asks for quotes', async () => {
    const { status, stdout } = await runInShell(blockOf('docs/rates.md', /^curl .*amount=100'\n$/).text);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ corridor: 'usdc-ngn', amount: '100' });
  });

  itInShell('of docs/rates.md asks for a payout and gets quotes that pay it', async () => {
    const { status, stdout } = await runInShell(blockOf('docs/rates.md', /^curl .*receive=/).text);
    expect([status, JSON.parse(stdout).receive]).toEqual([0, '150000.00']);
  });

  it('of docs/intents.md imports what the package exports', async () => {
    const { status, stderr } = await runProgramText(
      `${blockOf('docs/intents.md', /import \{ intentHash/).text}\nconsole.log(intentHash);`,
    );
    expect([status, stderr]).toEqual([0, '']);
  });

  it('of docs/publisher.md proves an entry of a published batch', async () => {
    const block = blockOf('docs/publisher.md', /verifyEntry/).text;
    expect(block).toContain('batches/17/');
    const before =
      `import { verifyBatch, verifyEntry } from '@fairlead/contract';\nconst url = '${app.url}';\n` +
      `const { header, publicKey } = await (await fetch(url + '/api/publisher/batches/1')).json();\n` +
      'const keys = [{ keyId: header.keyId, publicKey }];\n';
    const text = `${before}${block.replace('batches/17/', 'batches/1/')}\nconsole.log(proved);`;
    expect(await runProgramText(text)).toMatchObject({ status: 0, stdout: 'true\n' });
  });
});
