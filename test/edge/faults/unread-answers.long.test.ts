import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from '@jest/globals';
import { startSimulatedAnchors } from '../../../scripts/simulated-anchors/index.js';
import { listen } from '../../../server/http/listen.js';
import { requestLimits } from '../../../server/http/request-limits.js';
import { askFrom, neverReading } from '../../fixtures/edge/stubborn-client.js';
import { testDatabase } from '../../support/database.js';
import { itWhere } from '../../support/it-where.js';
import { waitFor } from '../../support/wait-for.js';

const itOnLinux = itWhere(process.platform === 'linux', 'not Linux: connections at the limit of descriptors');
const root = fileURLToPath(new URL('../../../', import.meta.url));
const database = testDatabase();
const folder = mkdtempSync(join(tmpdir(), 'fairlead-unread-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The service as an operator starts it, with no more than 256 descriptors. */
async function startWithFewDescriptors() {
  const simulated = await startSimulatedAnchors({ clock: Date.now, random: () => 0.5, anchors: ['harbour'] });
  const fleetFile = join(folder, 'fleet.json');
  writeFileSync(fleetFile, JSON.stringify(simulated.fleet));
  await simulated.stop();
  const program = [process.execPath, '--import', 'tsx', join(root, 'server/main.ts')];
  const child = spawn('sh', ['-c', 'ulimit -n 256 && exec "$@"', 'sh', ...program], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      SCHEDULER: 'off',
      MONGODB_URI: database.uri,
      FLEET_FILE: fleetFile,
      WEBHOOK_KEY: randomBytes(32).toString('hex'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  const port = await waitFor(
    async () => {
      const [, found] = /"url":"http:\/\/127\.0\.0\.1:(\d+)"/.exec(output) ?? [];
      if (found === undefined) throw new Error(`the service does not listen: ${output}`);
      return Number(found);
    },
    { timeout: 60_000 },
  );
  return {
    port,
    output: () => output,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function readMetric(port: number, name: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.split(' ')[1],
  );
}

itOnLinux(
  '260 connections of one address that never read leave others served at 256 descriptors, and are closed in time',
  async () => {
    const service = await startWithFewDescriptors();
    const { port } = service;
    try {
      expect(service.output()).toContain('MAX_CONNECTIONS is lowered to 96');
      const text = 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(40);
      const crowd = await neverReading({ port, from: '127.0.0.1', count: 260, text });
      const startedAt = performance.now();
      for (let asked = 0; asked < 40; asked += 1)
        expect(await askFrom({ port, from: '127.0.0.2', path: '/healthz' })).toBe(200);
      const asked = await askFrom({ port, from: '127.0.0.3', path: '/api/corridors' });
      expect(asked).toBe(200);
      expect(performance.now() - startedAt).toBeLessThan(requestLimits.stalledWriteMs);
      const limitMs = requestLimits.stalledWriteMs + 15_000;
      // Only the connection of the scrape is left.
      await waitFor(async () => expect(await readMetric(port, 'fairlead_http_connections')).toBe(1), {
        timeout: limitMs,
        interval: 1_000,
      });
      const stalled = await readMetric(port, 'fairlead_http_connections_cut_total{reason="stalled"}');
      expect(stalled).toBeGreaterThan(60);
      crowd.end();
    } finally {
      await service.stop();
    }
  },
  150_000,
);

it('a client that reads slowly keeps its connection for as long as it makes progress', async () => {
  const big = Buffer.alloc(1_000_000);
  const ended: string[] = [];
  const meter = { opened: () => {}, closed: () => {}, ended: (why: string) => ended.push(why) };
  const listener = await listen((_req, res) => res.end(big), {
    host: '127.0.0.1',
    port: 0,
    newId: () => '0'.repeat(32),
    connections: { max: 10, maxPerClient: 10, stalledWriteMs: 4_000, idleMs: 5_000, trustProxy: [], meter },
  });
  const answers = 40;
  const socket = connect(listener.port, '127.0.0.1', () =>
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(answers)),
  );
  let received = 0;
  // The client reads 500 KB, then pauses: in all it takes several times the limit for an answer without progress.
  socket.on('data', (chunk) => {
    received += chunk.length;
    if (received % 500_000 >= chunk.length) return;
    socket.pause();
    setTimeout(() => socket.resume(), 200);
  });
  socket.on('error', () => undefined);
  await waitFor(async () => expect(received).toBeGreaterThan(answers * big.length), { timeout: 60_000 });
  expect(ended).toEqual([]);
  socket.destroy();
  await listener.stop(0);
}, 70_000);
