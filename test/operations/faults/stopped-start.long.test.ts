import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
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
  const MONGODB_URI = `mongodb://127.0.0.1:${await freePort()}/fairlead?replicaSet=rs0`;
  const child = spawn(command, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH, PORT: '0', FLEET_FILE: fleetFile, MONGODB_URI },
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
  const lastLine = () => JSON.parse(log.trim().split('\n').at(-1) ?? '') as unknown;
  return { pid: child.pid ?? 0, ended, lastLine };
}

/** The only child of a process. */
function childOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim());
}

it.each(['SIGTERM', 'SIGINT'] as const)(
  'a service that gets %s before it is up is ended by it at once, and says so',
  async (signal) => {
    const { pid, ended, lastLine } = await startWaiting([]);
    process.kill(pid, signal);
    expect(await ended).toBe(signal);
    expect(lastLine()).toMatchObject({ signal, msg: 'ended before it was up' });
  },
  atOnceMs + 30_000,
);

itInContainer.each([
  ['SIGTERM', 143, 'the service', ['server/main.ts']],
  ['SIGINT', 130, 'the service', ['server/main.ts']],
  ['SIGTERM', 143, 'the migration', ['server/cli.ts', 'migrate']],
] as const)(
  '%s ends with %i, at once, the first process of a container that waits: %s',
  async (signal, code, what, program) => {
    const { pid, ended, lastLine } = await startWaiting(asFirstProcess, ...program);
    const sentAt = performance.now();
    process.kill(childOf(pid), signal);
    expect(await ended).toBe(code);
    expect(performance.now() - sentAt).toBeLessThan(atOnceMs);
    if (what === 'the service') expect(lastLine()).toMatchObject({ signal, msg: 'ended before it was up' });
  },
  90_000,
);
