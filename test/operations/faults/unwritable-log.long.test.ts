import { execFileSync } from 'node:child_process';
import { closeSync, constants, createReadStream, existsSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { type ServiceProcess, startServiceProcess } from '../../fixtures/edge/service-process.js';
import { testDatabase } from '../../support/database.js';
import { itWhere } from '../../support/it-where.js';
import { waitFor } from '../../support/wait-for.js';

const database = testDatabase();
const folder = mkdtempSync(join(tmpdir(), 'fairlead-unwritable-'));
let service: ServiceProcess | undefined;
afterEach(async () => {
  await service?.end('SIGKILL');
  service = undefined;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const { O_RDONLY, O_WRONLY, O_NONBLOCK } = constants;
let clients = 0;

/** The status of a request by a new client; a service that hangs fails the test. */
async function ask(path: string): Promise<number> {
  clients += 1;
  const headers = {
    'x-forwarded-for': `198.18.${(clients >> 8) & 255}.${clients & 255}`,
    'x-request-id': `${clients}`.padStart(64, '0'),
  };
  const answer = await fetch(`${service?.url}${path}`, { headers, signal: AbortSignal.timeout(10_000) });
  await answer.arrayBuffer();
  return answer.status;
}

const lists = ['/api/corridors', '/api/anchors', '/api/reputation/leaderboard', '/api/publisher/batches'];

/**
 * Sends at most 400 requests that are logged with one line of about 250 bytes each: no two are the same, since what the
 * response cache answers is sampled.
 */
async function askMany(count: number): Promise<void> {
  for (let n = 0; n < count; n += 20) {
    const targets = Array.from({ length: 20 }, (_, i) => `${lists[(n + i) % 4]}?limit=${1 + ((n + i) >> 2)}`);
    const statuses = await Promise.all(targets.map(ask));
    expect(new Set(statuses)).toEqual(new Set([200]));
  }
}

async function readiness(): Promise<unknown> {
  return (await fetch(`${service?.url}/readyz`)).json();
}

async function stopsWith0(): Promise<void> {
  const startedAt = performance.now();
  expect(await service?.end('SIGTERM')).toBe(0);
  service = undefined;
  expect(performance.now() - startedAt).toBeLessThan(10_000);
}

function makePipe() {
  const path = join(mkdtempSync(join(folder, 'pipe-')), 'log');
  execFileSync('mkfifo', [path]);
  // Each end of the pipe is opened separately, as a shell does, so that the service's writes wait for the reader.
  const reader = openSync(path, O_RDONLY | O_NONBLOCK);
  return { path, reader, writer: openSync(path, O_WRONLY) };
}

describe('a service whose log cannot be written', () => {
  itWhere(existsSync('/dev/full'), 'there is no /dev/full')(
    'answers, tells it in readiness, and stops when told to, with its output on a full device',
    async () => {
      const full = openSync('/dev/full', O_WRONLY);
      service = await startServiceProcess({ mongodbUri: database.uri, stdout: full, stderr: full });
      closeSync(full);
      await askMany(100);
      expect(await ask('/healthz')).toBe(200);
      await waitFor(async () =>
        expect(await readiness()).toEqual({ status: 'ready', warnings: [expect.stringContaining('log')] }),
      );
      expect(await ask('/healthz')).toBe(200);
      await stopsWith0();
    },
    120_000,
  );

  it('answers and stops when told to while nobody reads the pipe of its output and errors', async () => {
    const { reader, writer } = makePipe();
    service = await startServiceProcess({ mongodbUri: database.uri, stdout: writer, stderr: writer });
    closeSync(writer);
    // The pipe holds 64 KB.
    await askMany(400);
    expect(await ask('/healthz')).toBe(200);
    // Waits longer than the pause between two attempts to write.
    await delay(500);
    expect(await ask('/healthz')).toBe(200);
    await stopsWith0();
    closeSync(reader);
  }, 120_000);

  it('has every line in its log, to the last one, when the pipe is read again', async () => {
    const { path, reader, writer } = makePipe();
    service = await startServiceProcess({ mongodbUri: database.uri, stdout: writer });
    closeSync(writer);
    await askMany(400);
    const messages: string[] = [];
    const lines = createInterface({ input: createReadStream(path) });
    lines.on('line', (line) => messages.push((JSON.parse(line) as { msg: string }).msg));
    const closed = new Promise((resolve) => lines.once('close', resolve));
    await waitFor(() => expect(messages.filter((msg) => msg === 'request').length).toBeGreaterThan(300));
    expect(await readiness()).toEqual({ status: 'ready' });
    await stopsWith0();
    closeSync(reader);
    await closed;
    expect(messages.filter((msg) => msg === 'request').length).toBeGreaterThanOrEqual(400);
    expect(messages.at(-1)).toBe('stopped');
  }, 120_000);
});
