import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rateLimitClasses } from '../../../contract/rate-limits.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { findChromium, launchChromium } from '../../support/chromium.js';
import { testDatabase } from '../../support/database.js';
import { itWhere } from '../../support/it-where.js';
import { runProgram } from '../../support/run-program.js';
import { type Bundle, bundleForBrowser } from './bundle.js';
import { type Consumer, createConsumer, fixture, type Kind, kinds } from './consumer.js';
import type { useEverything } from './front-end.js';
import { startPageServer } from './page-server.js';
import { packedTarball, pathsIn, root } from './tarball.js';
import { frontEndTask, vectorResults } from './task.js';

type Results = Awaited<ReturnType<typeof useEverything>>;

const artifacts = join(root, 'artifacts');
const database = testDatabase();
let app: TestApp;
const consumers = new Map<Kind, Consumer>();
for (const kind of kinds) {
  const consumer = await createConsumer(kind);
  if (consumer !== undefined) consumers.set(kind, consumer);
}
const itInstalled = itWhere(
  consumers.size > 0,
  'no npm registry and no npm cache: installing the contract package',
);
const itInBrowser = itWhere(
  consumers.size > 0 && findChromium() !== undefined,
  'no Chromium found (set CHROMIUM_PATH): the contract package in a browser',
);
/** The output of tsc, by kind and resolution; the emitted modules are the ones that run. */
const complaints: Record<string, string> = {};

beforeAll(async () => {
  app = await startTestApp({ uri: database.uri });
  const files = ['front-end.ts', 'typed-answers.ts'];
  for (const [kind, consumer] of consumers) {
    for (const name of files) consumer.write(name, fixture(name));
    for (const resolution of consumer.resolutions) {
      complaints[`${kind} ${resolution}`] = await consumer.typeCheck(files, { resolution, outDir: 'out' });
    }
  }
}, 360_000);
afterAll(async () => {
  for (const consumer of consumers.values()) consumer.remove();
  await app.close();
});

function installed(kind: Kind = 'module'): Consumer {
  const consumer = consumers.get(kind);
  if (consumer === undefined) throw new Error('the package was not installed');
  return consumer;
}

/** How a module of each kind imports what another one exports. */
const importing = {
  module: (names: string, from: string) => `import ${names} from '${from}';`,
  commonjs: (names: string, from: string) => `const ${names} = require('${from}');`,
};
/** The figures of the README's section on size, in their order. */
const [, sizes = ''] = readFileSync(join(root, 'contract/README.md'), 'utf8').split('## Size\n');
const figures = [...(sizes.split('\n## ')[0] ?? '').matchAll(/(\d+) kB/g)].map(([, figure]) =>
  Number(figure),
);
const everything = (kind: Kind) =>
  `${importing[kind](
    '{ useEverything }',
    './out/front-end.js',
  )}\nObject.assign(globalThis, { useEverything });\n`;

function expectResults(results: Results): void {
  expect(results).toMatchObject(vectorResults);
  expect(results.rates).toMatchObject({ best: { anchorId: expect.any(String) } });
  expect(results.etag).toMatch(/^(W\/)?"/);
  expect(results.unknown).toBe('UNKNOWN_CORRIDOR');
  expect(results.unlisted).toBe('NOT_FOUND');
  expect(results.created).toBe(results.ownHash);
  expect(results.streamed).toEqual(['live', 'rates usdc-ngn', 'live', 'intent pending']);
  expect(results.rateLimits.map(({ limit, remaining }) => ({ limit, remaining }))).toEqual([
    { limit: rateLimitClasses.rates.points, remaining: expect.any(Number) },
    { limit: rateLimitClasses.rates.points, remaining: expect.any(Number) },
    { limit: rateLimitClasses.intent.points, remaining: expect.any(Number) },
    { limit: rateLimitClasses.streams.points, remaining: expect.any(Number) },
    { limit: rateLimitClasses.streams.points, remaining: expect.any(Number) },
  ]);
}

describe('the tarball', () => {
  it('holds modules of both kinds, declarations, vectors and the readme, and nothing else', async () => {
    const packed = await pathsIn(await packedTarball());
    const entries = ['index', 'client/index', 'offramp/index'];
    const kindsOfEntries = entries.flatMap((entry) => [`esm/${entry}`, `cjs/${entry}`]);
    const modules = kindsOfEntries.flatMap((entry) => [`dist/${entry}.js`, `dist/${entry}.d.ts`]);
    expect(packed).toEqual(expect.arrayContaining(['README.md', 'LICENSE', ...modules]));
    const expected =
      /^(package\.json|README\.md|CHANGELOG\.md|LICENSE|vectors\/(README\.md|[a-z-]+\.json)|dist\/cjs\/package\.json|dist\/(esm|cjs)\/[a-z0-9/-]+\.(d\.ts|js))$/;
    expect(packed.filter((path) => !expected.test(path))).toEqual([]);
    // The examples are not packed: they are for the document and the tests.
    expect(packed.filter((path) => path.includes('examples/'))).toEqual([]);
  });

  it('installs at most 300 files and 2.5 MB', async () => {
    const { stdout } = await runProgram('tar', ['-tvzf', await packedTarball()]);
    const sizes = stdout
      .trim()
      .split('\n')
      .map((line) => Number(line.trim().split(/\s+/)[2]));
    expect(sizes.length).toBeLessThanOrEqual(300);
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(2_500_000);
  });
});

describe('a strict front end', () => {
  itInstalled.each([
    ['module', 'NodeNext'],
    ['module', 'Bundler'],
    ['commonjs', 'NodeNext'],
    ['commonjs', 'Node10'],
  ])(
    'of type %s type-checks under %s resolution, every declaration included, and cannot compile what the contract does not know',
    (kind, resolution) => {
      expect(complaints[`${kind} ${resolution}`]).toBe('');
    },
  );
});

/** Switches off the support of newer versions of Node for requiring ES modules, which the package must not need. */
const noBridge = '--no-experimental-require-module';

describe.each(kinds)('a Node program of type %s', (kind) => {
  itInstalled(
    'uses everything: rates and intents of a running service, hashes, signatures and proofs as in the vectors',
    async () => {
      const project = installed(kind);
      project.write(
        'out/run.js',
        `${importing[kind]('{ useEverything }', './front-end.js')}
       ${importing[kind]('{ readFileSync }', 'node:fs')}
       useEverything(JSON.parse(readFileSync(0, 'utf8'))).then((results) => process.stdout.write(JSON.stringify(results)));`,
      );
      const { stdout, stderr } = await runProgram(process.execPath, [noBridge, 'out/run.js'], {
        cwd: project.folder,
        input: JSON.stringify(frontEndTask(app.url)),
      });
      expect(stderr).toBe('');
      expectResults(JSON.parse(stdout));
    },
  );
});

describe.each(kinds)('the entries, in a program of type %s', (kind) => {
  itInstalled('all load, with the packages installed that they leave to the program', async () => {
    const { folder } = installed(kind);
    const manifest = join(folder, 'node_modules/@fairlead/contract/package.json');
    const { exports, peerDependencies = {} } = JSON.parse(readFileSync(manifest, 'utf8'));
    for (const peer of Object.keys(peerDependencies)) {
      mkdirSync(join(folder, 'node_modules', peer, '..'), { recursive: true });
      symlinkSync(join(root, 'node_modules', peer), join(folder, 'node_modules', peer));
    }
    const entries = Object.keys(exports).filter((entry) => !/\*|json$/.test(entry));
    const names = entries.map((entry) => entry.replace('.', '@fairlead/contract'));
    const load = kind === 'module' ? 'await import(name)' : 'require(name)';
    const script = `const loaded = {};
      for (const name of ${JSON.stringify(names)}) loaded[name] = Object.keys(${load}).length > 1;
      process.stdout.write(JSON.stringify(loaded));`;
    const { stdout, stderr } = await runProgram(
      process.execPath,
      [noBridge, `--input-type=${kind}`, '-e', script],
      { cwd: folder },
    );
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual(Object.fromEntries(names.map((name) => [name, true])));
    expect(names).toContain('@fairlead/contract/client');
  });
});

describe('a program that requires the package', () => {
  itInstalled('gets the same class of error from every entry', async () => {
    const script = `const whole = require('@fairlead/contract'), light = require('@fairlead/contract/client');
      process.stdout.write(String(whole.FairleadError === light.FairleadError));`;
    const { stdout } = await runProgram(process.execPath, [noBridge, '-e', script], {
      cwd: installed('commonjs').folder,
    });
    expect(stdout).toBe('true');
  });

  itInstalled('finds the vectors by name, which hold', async () => {
    const script = `const { intentHash } = require('@fairlead/contract');
      const { cases } = require('@fairlead/contract/vectors/intent-hash.json');
      process.stdout.write(String(cases.every((c) => intentHash(c.intent) === c.intentHash)));`;
    const { stdout } = await runProgram(process.execPath, [noBridge, '-e', script], {
      cwd: installed('commonjs').folder,
    });
    expect(stdout).toBe('true');
  });
});

describe('a bundle for browsers', () => {
  const allowed =
    /^node_modules\/(@fairlead\/contract\/dist\/esm|@noble\/(ed25519|hashes)|@ts-rest\/core|canonicalize|decimal\.js|zod)\//;
  const maxGzipBytes = 64 * 1024;

  itInstalled('holds nothing of Node and nothing of the server, in at most 64 KiB of gzip', async () => {
    const project = installed();
    const bundle = await bundleForBrowser(project, 'everything', everything('module'));
    const others = ['everything.ts', 'out/front-end.js'];
    expect(bundle.read.filter((path) => !allowed.test(path) && !others.includes(path))).toEqual([]);
    expect(bundle.text).not.toMatch(/["']node:|\brequire\(/);
    expect(bundle.gzipBytes).toBeLessThan(maxGzipBytes);
  });

  itInstalled(
    'grows only with what is imported: intentHash brings no schema and no client, the light client less than 5 kB, and README.md has the figures',
    async () => {
      const project = installed();
      const only = (name: string, entry: string, what: string) =>
        bundleForBrowser(project, name, `export { ${what} } from '${entry}';\n`);
      const bundles = {
        intentHash: await only('hash', '@fairlead/contract', 'intentHash'),
        createClient: await only('client', '@fairlead/contract', 'createClient'),
        lightClient: await only('light', '@fairlead/contract/client', 'createClient'),
        everything: await bundleForBrowser(project, 'everything', everything('module')),
      };
      report(bundles);
      const { intentHash, createClient, lightClient } = bundles;
      expect(intentHash.contributors.filter((path) => /\/(zod|core)\//.test(path))).toEqual([]);
      expect(lightClient.contributors.filter((path) => !/dist\/esm\/client\//.test(path))).toEqual([]);
      expect(lightClient.gzipBytes).toBeLessThan(5_000);
      const inOrder = [intentHash, createClient, lightClient];
      expect(figures).toHaveLength(inOrder.length);
      // To within one kilobyte, since every sentence of the contract changes the size a little.
      for (const [i, { gzipBytes }] of inOrder.entries())
        expect(Math.abs((figures[i] ?? 0) - gzipBytes / 1_000)).toBeLessThan(1);
    },
  );

  itInBrowser.each(kinds)(
    'does all of it in a page of another origin, from sources of type %s, under a policy that forbids eval',
    async (kind) => {
      const project = installed(kind);
      const executable = findChromium() ?? '';
      const { text } = await bundleForBrowser(project, 'everything', everything(kind));
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

/** Writes the size of the package in a page to the artifacts. */
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
