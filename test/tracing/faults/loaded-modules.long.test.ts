import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from '@jest/globals';
import { startServiceProcess } from '../../fixtures/edge/service-process.js';
import { startCollector } from '../../fixtures/tracing/collector.js';
import { testDatabase } from '../../support/database.js';

const database = testDatabase();
const folder = mkdtempSync(join(tmpdir(), 'fairlead-modules-'));
const preload = fileURLToPath(new URL('../../support/loaded-modules.cjs', import.meta.url));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The packages of OpenTelemetry that the program has loaded by its end. */
async function packagesLoaded(env: Record<string, string>): Promise<string[]> {
  const LOADED_MODULES_FILE = join(folder, 'modules.json');
  const process = await startServiceProcess({
    mongodbUri: database.uri,
    stdout: 'ignore',
    env: { ...env, LOADED_MODULES_FILE, NODE_OPTIONS: `--require=${preload}` },
  });
  await fetch(`${process.url}/api/corridors`);
  expect(await process.end('SIGTERM')).toBe(0);
  const modules = JSON.parse(readFileSync(LOADED_MODULES_FILE, 'utf8')) as string[];
  expect(modules.some((path) => path.includes('/node_modules/mongodb/'))).toBe(true);
  return [
    ...new Set(modules.flatMap((path) => /node_modules\/(@opentelemetry\/[^/]+)/.exec(path)?.[1] ?? [])),
  ];
}

it('loads nothing of OpenTelemetry where traces are off, but the interface that prom-client itself loads', async () => {
  expect(await packagesLoaded({})).toEqual(['@opentelemetry/api']);
});

it('loads it where they are on, and sends the last spans before it ends by SIGTERM', async () => {
  const collector = await startCollector();
  const loaded = await packagesLoaded({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  await collector.stop();
  expect(loaded).toEqual(expect.arrayContaining(['@opentelemetry/sdk-trace']));
  expect(collector.spans.map(({ name }) => name)).toContain('GET /api/corridors');
});
