import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { rateLimitClasses } from '../../../contract/rate-limits.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { findChromium, launchChromium } from '../../support/chromium.js';
import { testDatabase } from '../../support/database.js';
import { itWhere } from '../../support/it-where.js';
import { runProgram } from '../../support/run-program.js';
import { type Bundle, bundleForBrowser } from './bundle.js';
import { type Consumer, createConsumer, fixture, type Resolution, resolutions } from './consumer.js';
import type { useEverything } from './front-end.js';
import { startPageServer } from './page-server.js';
import { frontEndTask, vectorResults } from './task.js';

type Results = Awaited<ReturnType<typeof useEverything>>;

const artifacts = fileURLToPath(new URL('../../../artifacts/', import.meta.url));
const database = testDatabase();
let app: TestApp;
const consumer = await createConsumer();
const itInstalled = itWhere(
  consumer !== undefined,
  'no npm registry and no npm cache: installing the contract package',
);
const itInBrowser = itWhere(
  consumer !== undefined && findChromium() !== undefined,
  'no Chromium found (set CHROMIUM_PATH): the contract package in a browser',
);
/** What tsc said, by resolution; the emitted modules are those that run in Node. */
const complaints: Partial<Record<Resolution, string>> = {};

beforeAll(async () => {
  app = await startTestApp({ uri: database.uri });
  if (consumer === undefined) return;
  const files = ['front-end.ts', 'typed-answers.ts'];
  for (const name of files) consumer.write(name, fixture(name));
  for (const resolution of Object.keys(resolutions) as Resolution[]) {
    complaints[resolution] = await consumer.typeCheck(files, { resolution, outDir: 'out' });
  }
}, 240_000);
afterAll(async () => {
  consumer?.remove();
  await app.close();
});

function installed(): Consumer {
  if (consumer === undefined) throw new Error('the package was not installed');
  return consumer;
}

const everything = `import { useEverything } from './front-end.js';\nObject.assign(globalThis, { useEverything });\n`;

function expectResults(results: Results): void {
  expect(results).toMatchObject(vectorResults);
  expect(results.rates).toMatchObject({ best: { anchorId: expect.any(String) } });
  expect(results.etag).toMatch(/^(W\/)?"/);
  expect(results.unknown).toBe('UNKNOWN_CORRIDOR');
  expect(results.unlisted).toBe(404);
  expect(results.created).toBe(results.ownHash);
  expect(results.rateLimits.map(({ limit, remaining }) => ({ limit, remaining }))).toEqual([
    { limit: rateLimitClasses.rates.points, remaining: expect.any(Number) },
    { limit: rateLimitClasses.rates.points, remaining: expect.any(Number) },
    { limit: rateLimitClasses.intent.points, remaining: expect.any(Number) },
  ]);
}

describe('the tarball', () => {
  itInstalled(
    'holds modules, declarations, maps with their sources, vectors and the readme, and nothing else',
    () => {
      const { packed } = installed();
      expect(packed).toEqual(
        expect.arrayContaining([
          'package.json',
          'README.md',
          'LICENSE',
          'dist/index.js',
          'dist/index.d.ts',
          'index.ts',
        ]),
      );
      // No examples: those are for the document and the tests.
      const room = '((client|endpoints|schemas|verification)/)?';
      const expected = new RegExp(
        '^(package\\.json|README\\.md|LICENSE|vectors/(README\\.md|[a-z-]+\\.json)|' +
          `${room}[a-z0-9-]+\\.ts|dist/${room}[a-z0-9-]+\\.(d\\.ts|js)(\\.map)?)$`,
      );
      expect(packed.filter((path) => !expected.test(path))).toEqual([]);
    },
  );
});

describe('a strict front end', () => {
  itInstalled.each(Object.keys(resolutions) as Resolution[])(
    'type-checks under %s resolution, every declaration included, and cannot compile what the contract does not know',
    (resolution) => {
      expect(complaints[resolution]).toBe('');
    },
  );
});

describe('a Node program', () => {
  itInstalled(
    'uses everything: rates and intents of a running service, hashes, signatures and proofs as in the vectors',
    async () => {
      const project = installed();
      project.write(
        'out/run.js',
        `import { useEverything } from './front-end.js';
       import { readFileSync } from 'node:fs';
       const task = JSON.parse(readFileSync(0, 'utf8'));
       process.stdout.write(JSON.stringify(await useEverything(task)));`,
      );
      const { stdout, stderr } = await runProgram(process.execPath, ['out/run.js'], {
        cwd: project.folder,
        input: JSON.stringify(frontEndTask(app.url)),
      });
      expect(stderr).toBe('');
      expectResults(JSON.parse(stdout));
    },
  );

  itInstalled('finds the vectors by name, and the package from CommonJS too', async () => {
    const project = installed();
    const script = `const { intentHash } = require('@fairlead/contract');
      const { cases } = require('@fairlead/contract/vectors/intent-hash.json');
      process.stdout.write(String(cases.every((c) => intentHash(c.intent) === c.intentHash)));`;
    const { stdout } = await runProgram(process.execPath, ['--input-type=commonjs', '-e', script], {
      cwd: project.folder,
    });
    expect(stdout).toBe('true');
  });
});

describe('a bundle for browsers', () => {
  const allowed =
    /^node_modules\/(@fairlead\/contract\/dist|@noble\/(ed25519|hashes)|@ts-rest\/core|canonicalize|zod)\//;
  const maxGzipBytes = 64 * 1024;

  itInstalled('holds nothing of Node and nothing of the server, in at most 64 KiB of gzip', async () => {
    const project = installed();
    const bundle = await bundleForBrowser(project, 'everything', everything);
    const others = ['everything.ts', 'front-end.ts'];
    expect(bundle.read.filter((path) => !allowed.test(path) && !others.includes(path))).toEqual([]);
    expect(bundle.text).not.toMatch(/["']node:|\brequire\(/);
    expect(bundle.gzipBytes).toBeLessThan(maxGzipBytes);
  });

  itInstalled(
    'grows only with what is imported: intentHash brings no schema and no client, and at most a fifth of createClient',
    async () => {
      const project = installed();
      const only = (name: string) =>
        bundleForBrowser(project, name, `export { ${name} } from '@fairlead/contract';\n`);
      const hash = await only('intentHash');
      const client = await only('createClient');
      expect(hash.contributors.filter((path) => /\/(zod|core)\//.test(path))).toEqual([]);
      expect(hash.gzipBytes / client.gzipBytes).toBeLessThan(0.2);
      report({ everything: await bundleForBrowser(project, 'everything', everything), client, hash });
    },
  );

  itInBrowser(
    'does all of it in a page of another origin, under a policy that forbids eval',
    async () => {
      const project = installed();
      const executable = findChromium() ?? '';
      const { text } = await bundleForBrowser(project, 'everything', everything);
      const site = await startPageServer(text, app.url);
      const browser = await launchChromium(executable);
      try {
        const page = await browser.newPage();
        const complaints: string[] = [];
        page.on('pageerror', (error) => complaints.push(error.message));
        await page.goto(site.url);
        await page.waitForFunction('typeof useEverything === "function"');
        const results = await page.evaluate(`useEverything(${JSON.stringify(frontEndTask(app.url))})`);
        expectResults(results as Results);
        expect(complaints).toEqual([]);
      } finally {
        await browser.close();
        await site.stop();
      }
    },
    60_000,
  );
});

/** Kept beside the run: what the package weighs in a page. */
function report(bundles: Record<string, Bundle>): void {
  const rows = Object.entries(bundles).map(([name, { text, gzipBytes }]) => [
    name,
    { bytes: text.length, gzipBytes },
  ]);
  mkdirSync(artifacts, { recursive: true });
  writeFileSync(
    join(artifacts, 'contract-bundles.json'),
    `${JSON.stringify(Object.fromEntries(rows), null, 2)}\n`,
  );
}
