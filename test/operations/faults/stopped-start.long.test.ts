import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '../../../scripts/lib/loopback-server.js';
import { startSimulatedAnchors } from '../../../scripts/simulated-anchors/index.js';
import { itWhere, runsHere } from '../../support/it-where.js';
import { waitFor } from '../../support/wait-for.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
/** Runs a program as a container does: as the first process of its namespace, which no signal ends by default. */
const asFirstProcess = ['unshare', '--user', '--map-root-user', '--fork', '--pid', '--kill-child'];
const itInContainer = itWhere(
  runsHere('unshare', ...asFirstProcess.slice(1), 'true'),
  'no unshare, or no right to use it: the service as the first process of a container',
);
/** Far below the minute that a start waits for the database before it ends by itself. */
const atOnceMs = 10_000;
const folder = mkdtempSync(join(tmpdir(), 'fairlead-stopped-start-'));
const fleetFile = join(folder, 'fleet.json');
const children: ChildProcess[] = [];

beforeAll(async () => {
  const simulated = await startSimulatedAnchors({ clock: Date.now, random: () => 0.5, anchors: ['harbour'] });
  writeFileSync(fleetFile, JSON.stringify(simulated.fleet));
  await simulated.stop();
});
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** Starts the service or another program without a reachable database, and resolves once it waits for one. */
async function startWaiting(within: readonly string[], ...program: string[]) {
  const started = program.length === 0 ? ['server/main.ts'] : program;
  const [command = '', ...args] = [...within, process.execPath, '--import', 'tsx', ...started];
  const { PATH = '' } = process.env;
  const child = spawn(command, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH,
      PORT: '0',
      FLEET_FILE: fleetFile,
      MONGODB_URI: `mongodb://127.0.0.1:${await freePort()}/fairlead?replicaSet=rs0`,
    },
  });
  children.push(child);
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      log += chunk;
    });
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal));
  });
  await waitFor(() => expect(log).toContain('waiting for the database'), { timeout: 30_000 });
  const lines = () =>
    log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { msg: string; signal?: string });
  return { pid: child.pid ?? 0, ended, lines };
}

/** The only child of a process. */
function childOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim());
}

describe.each([
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const)('a service that gets %s before it is up', (signal, code) => {
  it(
    'is ended by it at once, and says so',
    async () => {
      const { pid, ended, lines } = await startWaiting([]);
      process.kill(pid, signal);
      expect(await ended).toBe(signal);
      expect(lines().at(-1)).toMatchObject({ signal, msg: 'ended before it was up' });
    },
    atOnceMs + 30_000,
  );

  itInContainer(
    `exits with ${code} at once where it is the first process of a container`,
    async () => {
      const { pid, ended, lines } = await startWaiting(asFirstProcess);
      const sentAt = performance.now();
      process.kill(childOf(pid), signal);
      expect(await ended).toBe(code);
      expect(performance.now() - sentAt).toBeLessThan(atOnceMs);
      expect(lines().at(-1)).toMatchObject({ signal, msg: 'ended before it was up' });
    },
    90_000,
  );
});

itInContainer(
  'the migration exits with 143 at once where it is the first process of a container',
  async () => {
    const { pid, ended } = await startWaiting(asFirstProcess, 'server/cli.ts', 'migrate');
    const sentAt = performance.now();
    process.kill(childOf(pid), 'SIGTERM');
    expect(await ended).toBe(143);
    expect(performance.now() - sentAt).toBeLessThan(atOnceMs);
  },
  90_000,
);
