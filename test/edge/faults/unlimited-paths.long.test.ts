import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type ServiceProcess, startServiceProcess } from '../../fixtures/edge/service-process.js';
import { testDatabase } from '../../support/database.js';
import { expectFor } from '../../support/expect-for.js';

/**
 * Measures paths without a limit against the API: how 32 connections affect the median of another client's requests,
 * compared in the same run with 32 connections that request the cheapest answer. Service, load and client are a process
 * each. If metrics were rendered for each request, that client would be six times as slow.
 */
const autocannon = createRequire(import.meta.url).resolve('autocannon');
const cheapest = '/healthz';
const others = ['/', '/metrics', '/docs', '/openapi.json', '/openapi.client.json', '/llms.txt'];
const rounds = 3;
const requestsPerRound = 40;
/** On a busy machine a round ends after this time, with fewer requests. */
const roundMs = 5_000;
const allowedRatio = 4;

const database = testDatabase();
let service: ServiceProcess;
beforeAll(async () => {
  service = await startServiceProcess({ mongodbUri: database.uri, stdout: 'ignore' });
}, 90_000);
afterAll(() => service.end('SIGTERM'));

let clients = 0;
async function latencyMs(): Promise<number> {
  clients += 1;
  const headers = { 'x-forwarded-for': `198.18.${clients >> 8}.${clients & 255}` };
  const startedAt = performance.now();
  const answer = await fetch(`${service.url}/api/corridors`, { headers });
  await answer.arrayBuffer();
  expect(answer.status).toBe(200);
  return performance.now() - startedAt;
}

/** The latencies of one client while another process requests that path on 32 connections. */
async function latenciesBeside(path: string): Promise<number[]> {
  // A path that fails would be measured as a slow one.
  expectFor(path, (await fetch(`${service.url}${path}`)).status).toBe(200);
  const args = ['-c', '32', '-d', '120', '-H', 'accept-encoding=gzip', `${service.url}${path}`];
  const load = spawn(process.execPath, [autocannon, ...args], { stdio: 'ignore' });
  const ended = new Promise((resolve) => load.once('exit', resolve));
  try {
    await delay(2_000);
    const latencies: number[] = [];
    const until = performance.now() + roundMs;
    while (latencies.length < requestsPerRound && performance.now() < until)
      latencies.push(await latencyMs());
    expect(load.exitCode).toBeNull();
    return latencies;
  } finally {
    load.kill('SIGKILL');
    await ended;
  }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

it('32 connections on a path without a limit slow another client no more than four times what /healthz does', async () => {
  const measured = new Map([cheapest, ...others].map((path) => [path, [] as number[]]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [path, latencies] of measured) latencies.push(...(await latenciesBeside(path)));
  }
  const medianOf = (path: string) => median(measured.get(path) ?? []);
  const figures = [...measured.keys()].map((path) => `${path} ${medianOf(path).toFixed(1)} ms`).join(', ');
  for (const path of others)
    expectFor(`${path}: ${figures}`, medianOf(path) / medianOf(cheapest)).toBeLessThan(allowedRatio);
}, 480_000);
