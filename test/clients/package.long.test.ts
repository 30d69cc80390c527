import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import ts from 'typescript';
import type { BatchHeader } from '../../contract/index.js';
import batchVectors from '../../contract/vectors/batch.json' with { type: 'json' };
import disputeVectors from '../../contract/vectors/dispute.json' with { type: 'json' };
import intentVectors from '../../contract/vectors/intent-hash.json' with { type: 'json' };
import webhookVectors from '../../contract/vectors/webhook.json' with { type: 'json' };
import { testApp } from '../support/app.js';
import { findChromium, launchChromium } from '../support/chromium.js';
import { expectFor } from '../support/expect-for.js';
import { itWhere } from '../support/it-where.js';
import { runProgram } from '../support/run-program.js';
import type { FrontEndTask, useEverything } from './package/front-end.js';
import { hoversOver } from './package/hover.js';
import { bundleForBrowser, inPage } from './package/pages.js';
import { createProject, install, type Kind, type Project, pack, root } from './package/projects.js';

/* What contract/README.md promises, tried in projects that use nothing of this repository but the packed files. */
const workshop = mkdtempSync(join(tmpdir(), 'fairlead-package-'));
const tarball = await pack(workshop);
const installed = await install(tarball);
const itInstalled = itWhere(installed !== undefined, 'no npm registry: installing the contract package');
const itInBrowser = itWhere(
  installed !== undefined && findChromium() !== undefined,
  'no Chromium found (set CHROMIUM_PATH): the contract package in a browser',
);
const walletPage = fixture('wallet-page.ts.txt');
const addressOfVite = 'import.meta.env.VITE_FAIRLEAD_URL';
const readme = readFileSync(join(root, 'contract/README.md'), 'utf8');
const projects = {} as Record<Kind, Project>;
const app = await testApp();
let browser: Browser;

beforeAll(async () => {
  if (installed === undefined) return;
  for (const kind of ['module', 'commonjs'] as const) {
    projects[kind] = createProject(installed, kind);
    for (const name of ['front-end.ts', 'typed-answers.ts']) projects[kind].write(name, fixture(name));
  }
  const chromium = findChromium();
  if (chromium !== undefined) browser = await launchChromium(chromium);
}, 240_000);
afterAll(async () => {
  await browser?.close();
  for (const { folder } of Object.values(projects)) rmSync(folder, { recursive: true, force: true });
  rmSync(workshop, { recursive: true, force: true });
  if (installed !== undefined) rmSync(installed, { recursive: true, force: true });
});

const account = 'GBXFXNDLV4LSWA4VB7YIL5GBD7BVNR22SGBTDKMO2SBZZHDXSKZYCP7L';
const { intent, intentHash: hash } = intentVectors.cases[0] as (typeof intentVectors.cases)[0];
const { secretKey, body: dispute } = disputeVectors.cases[0] as (typeof disputeVectors.cases)[0];
const { secret, body, headers } = webhookVectors.cases[0] as (typeof webhookVectors.cases)[0];
const { header, signature, entries, headerHash } = batchVectors
  .batches[0] as (typeof batchVectors.batches)[0];

const sale = { corridor: 'usdc-ngn', anchorId: 'harbour', sellAmount: '250.50' };
/** One vector of each kind, and a real intent at the service. */
const taskOf = (url: string): FrontEndTask => ({
  url,
  terms: { ...sale, account, nonce: randomBytes(16).toString('hex') },
  known: intent,
  dispute: { ...dispute, secretKey },
  delivery: { secret, body, headers, now: Number(headers['webhook-timestamp']) * 1_000 },
  batch: { header: header as BatchHeader, signature, entries, keys: batchVectors.keys, previous: null },
});

function expectResults(results: Awaited<ReturnType<typeof useEverything>>): void {
  expect(results).toEqual({
    best: expect.any(String),
    unknown: 'UNKNOWN_CORRIDOR',
    isRegistered: true,
    streamed: ['rates usdc-ngn', 'intent pending'],
    limits: [90, 90, 20, expect.any(Number), expect.any(Number)],
    hash,
    signature: dispute.signature,
    event: JSON.parse(body).event,
    verdicts: [
      { ok: true, headerHash },
      { ok: false, reason: 'bad_signature' },
    ],
  });
}

describe('the tarball', () => {
  it('holds modules of both kinds, vectors and the readme and nothing else, in at most 300 files and 2.5 MB', async () => {
    const { stdout } = await runProgram('tar', ['-tvzf', tarball]);
    const files = stdout.split('\n').flatMap((line) => (line === '' ? [] : [line.trim().split(/\s+/)]));
    const packed = files.map((parts) => (parts.at(-1) ?? '').replace('package/', ''));
    const expected =
      /^(package\.json|README\.md|CHANGELOG\.md|LICENSE|vectors\/(README\.md|[a-z-]+\.json)|dist\/cjs\/package\.json|dist\/(esm|cjs)\/[a-z0-9/-]+\.(d\.ts|js))$/;
    expect(packed.filter((path) => !expected.test(path) || path.includes('examples/'))).toEqual([]);
    expect(packed.length).toBeLessThanOrEqual(300);
    expect(files.reduce((sum, parts) => sum + Number(parts[2]), 0)).toBeLessThanOrEqual(2_500_000);
  });

  it.each([
    ['publint', ['run', tarball, '--strict'], /All good!/],
    ['attw', [tarball], /No problems found/],
  ])('has no fault that %s knows', async (program, args, good) => {
    const env = { ...process.env, NO_COLOR: '1' };
    const { status, stdout } = await runProgram(join(root, 'node_modules/.bin', program), args, { env });
    expect(status).toBe(0);
    expect(stdout).toMatch(good);
  });
});

describe('a strict front end', () => {
  itInstalled(
    'imports the types that README.md names from either entry',
    async () => {
      const [, sentence = ''] = /The types that one wants most are ([^;]+);/.exec(readme) ?? [];
      const names = [...sentence.matchAll(/`([A-Z]\w+)`/g)].map(([, name]) => name);
      expect(names).toContain('RateQuote');
      const from = (entry: string) =>
        `export type { ${names.join(', ')} } from '@fairlead/contract${entry}';`;
      projects.module.write('named.ts', from(''));
      projects.module.write('light-named.ts', from('/client'));
      const files = ['named.ts', 'light-named.ts'];
      expect(await projects.module.typeCheck(files, { resolution: 'NodeNext' })).toBe('');
    },
    60_000,
  );

  itInstalled.each([
    ['module', 'NodeNext', 5],
    ['module', 'Bundler', 7],
    ['commonjs', 'Node10', 5],
    ['commonjs', 'NodeNext', 7],
  ] as const)(
    'of type %s type-checks under %s resolution with TypeScript %s, every declaration included, and cannot compile what the contract does not know',
    async (kind, resolution, typescript) => {
      const files = ['front-end.ts', 'typed-answers.ts'];
      const outDir = typescript === 5 ? { outDir: 'out' } : {};
      expect(await projects[kind].typeCheck(files, { resolution, typescript, ...outDir })).toBe('');
    },
    120_000,
  );
});

/** How a module of each kind imports what another one exports. */
const importing = {
  module: (names: string, from: string) => `import ${names} from '${from}';`,
  commonjs: (names: string, from: string) => `const ${names} = require('${from}');`,
};
const everything = (kind: Kind) =>
  `${importing[kind]('{ useEverything }', './out/front-end.js')}\nObject.assign(globalThis, { useEverything });`;

describe.each(['module', 'commonjs'] as const)('a program of type %s', (kind) => {
  itInstalled('uses everything with a running service, with the results of the vectors', async () => {
    const use = importing[kind]('{ useEverything }', './front-end.js');
    const read = importing[kind]('{ readFileSync }', 'node:fs');
    const print = '(results) => process.stdout.write(JSON.stringify(results))';
    const run = `useEverything(JSON.parse(readFileSync(0, 'utf8'))).then(${print});`;
    projects[kind].write('out/run.js', `${use}\n${read}\n${run}`);
    const input = JSON.stringify(taskOf(app.url));
    const { stdout, stderr } = await projects[kind].node(['out/run.js'], input);
    expect(stderr).toBe('');
    expectResults(JSON.parse(stdout));
  });

  itInstalled(
    'loads every entry, with one class of error, beside the peer that the off-ramp needs',
    async () => {
      const { folder, node } = projects[kind];
      mkdirSync(join(folder, 'node_modules/@stellar'), { recursive: true });
      const peer = 'node_modules/@stellar/stellar-base';
      symlinkSync(join(root, peer), join(folder, peer));
      const load = kind === 'module' ? 'await import' : 'require';
      const script = `const of = (name) => ${kind === 'module' ? `import(name)` : `Promise.resolve(require(name))`};
      Promise.all(['', '/client', '/offramp'].map((entry) => of('@fairlead/contract' + entry))).then(
        ([whole, light, offramp]) => process.stdout.write(
          [whole.FairleadError === light.FairleadError, typeof offramp.startOfframp].join()));`;
      const { stdout, stderr } = await node([`--input-type=${kind}`, '-e', script]);
      expectFor(load, [stderr, stdout]).toEqual(['', 'true,function']);
    },
  );

  itInBrowser('does it all in a page of another origin, under a policy that forbids eval', async () => {
    const { text: bundle } = await bundleForBrowser(projects[kind], 'everything', everything(kind));
    const results = await inPage(browser, { bundle, serviceUrl: app.url }, async (page) => {
      await page.waitForFunction('typeof useEverything === "function"');
      return page.evaluate(`useEverything(${JSON.stringify(taskOf(app.url))})`);
    });
    expectResults(results as Awaited<ReturnType<typeof useEverything>>);
  });
});

describe('a bundle for browsers', () => {
  itInstalled(
    'holds what is imported and no more: the light client in 5 kB, and the sizes of README.md',
    async () => {
      const only = (name: string, entry: string, what: string) =>
        bundleForBrowser(projects.module, name, `export { ${what} } from '@fairlead/contract${entry}';\n`);
      const hash = await only('hash', '', 'intentHash');
      const client = await only('client', '', 'createClient');
      const light = await only('light', '/client', 'createClient');
      const names = 'createClient, isFairleadError, readMaxAge, readRateLimit, unwrap';
      const all = await only('all', '/client', names);
      expect(hash.contributors.filter((path) => /\/(zod|core)\//.test(path))).toEqual([]);
      expect(light.contributors.filter((path) => !/dist\/esm\/client\//.test(path))).toEqual([]);
      expect(all.gzipBytes).toBeLessThan(5_000);
      const [, sizes = ''] = readme.split('## Size\n');
      const figures = [...sizes.matchAll(/(\d+) kB/g)].map(([, figure]) => Number(figure));
      // To within one kilobyte, since every sentence of the contract changes the size a little.
      for (const [i, { gzipBytes }] of [hash, client, light].entries())
        expectFor(`${i}`, Math.abs((figures[i] ?? 0) - gzipBytes / 1_000)).toBeLessThan(1);
      const whole = await bundleForBrowser(projects.module, 'everything', everything('module'));
      expect(whole.text).not.toMatch(/["']node:|\brequire\(/);
      expect(whole.gzipBytes).toBeLessThan(64 * 1024);
    },
  );
});

describe("the README's snippets", () => {
  itInstalled(
    'type-check strictly and do what they say against a running service',
    async () => {
      const { write, typeCheck, node } = projects.module;
      const snippets = [...readme.matchAll(/^```ts ([a-z-]+)\n(.*?)^```$/gms)];
      for (const [, name, text = ''] of snippets)
        write(`${name}.ts`, text.replaceAll('https://fairlead.example', app.url));
      const files = snippets.map(([, name]) => `${name}.ts`);
      expect(await typeCheck(files, { resolution: 'NodeNext', outDir: 'out' })).toBe('');
      const run = async (name: string, call: string) => {
        const { stdout, stderr } = await node([
          '--input-type=module',
          '-e',
          `const it = await import('./out/${name}.js');
        const result = await (${call}).catch((error) => error.message);
        process.stdout.write(JSON.stringify(result ?? null));`,
        ]);
        expectFor(name, stderr).toBe('');
        return stdout;
      };
      for (const [name, call, said] of [
        ['first-request', 'Promise.resolve()', /Harbour.* pays \d+(\.\d+)? score/],
        ['ts-rest', "it.quotesFor('usdc-ngn')", /"anchorId":"harbour"/],
        ['ts-rest', "it.quotesFor('usdc-zzz')", /^"UNKNOWN_CORRIDOR: /],
        ['light', "it.bestOffer('usdc-ngn', '100')", /^"\S.* pays \d+\.\d\d"$/],
        ['light', "it.bestOffer('usdc-ngn', '99999999')", /between/],
        ['lists', "it.corridorsOf('harbour')", /"usdc-ngn"/],
        ['live', "it.onceBest('usdc-ngn', 'nobody', AbortSignal.timeout(500))", /connecting\nlive/],
        ['limits', 'it.requestsLeft()', /^\d+$/],
        ['intent', `it.registerIntent('${account}').then(({ intent }) => intent.status)`, /^"pending"$/],
        ['dispute', "it.dispute('00'.repeat(32), 'harbour', 'x', 'S')", /56 characters/],
        ['webhook', "it.receive(new Request('http://a.b'), 'x').then((r) => r.status)", /^401$/],
        ['proof', "it.provenScore('1', 'harbour', 'usdc-ngn', [])", /^"UNKNOWN_BATCH: /],
      ] as const)
        expectFor(`${name} ${call}`, await run(name, call)).toMatch(said);
    },
    120_000,
  );
});

describe('a page in a new project of Vite', () => {
  itInstalled.each([5, 7] as const)('type-checks with TypeScript %s', async (typescript) => {
    const { write, typeCheck } = projects.module;
    write('src/main.ts', `/// <reference types="vite/client" />\n${walletPage}`);
    const script = '<script type="module" src="/src/main.ts"></script>';
    write('index.html', `<!doctype html><title>A wallet</title>${script}`);
    expect(await typeCheck(['src/main.ts'], { resolution: 'Bundler', typescript })).toBe('');
  });

  itInBrowser('is built into less than 5.5 kB, and shows a rate of a service of another origin', async () => {
    const { folder } = projects.module;
    const vite = join(folder, 'node_modules/vite/bin/vite.js');
    const env = { ...process.env, NODE_ENV: 'production', VITE_FAIRLEAD_URL: app.url };
    const { status, stderr } = await runProgram(process.execPath, [vite, 'build'], { cwd: folder, env });
    expect([status, stderr]).toEqual([0, '']);
    const assets = join(folder, 'dist/assets');
    const scripts = readdirSync(assets).map((name) => readFileSync(join(assets, name), 'utf8'));
    const bundle = scripts.join('\n');
    expect(gzipSync(bundle, { level: 9 }).byteLength).toBeLessThan(5_500);
    const said = await inPage(browser, { bundle, serviceUrl: app.url }, async (page) => {
      await page.waitForFunction('/ pays |[A-Z]{2,}_|no offer/.test(document.body.innerText)');
      return page.evaluate('document.body.innerText');
    });
    expect(said).toMatch(/^\S.* pays \d+(\.\d+)?$/);
  });
});

describe('an editor', () => {
  const { ESNext, NodeNext, CommonJS } = ts.ModuleKind;
  const { Bundler, Node10, NodeNext: node16 } = ts.ModuleResolutionKind;
  itInstalled.each([
    ['module', 'bundler', { module: ESNext, moduleResolution: Bundler }],
    ['module', 'nodenext', { module: NodeNext, moduleResolution: node16 }],
    ['commonjs', 'node10', { module: CommonJS, moduleResolution: Node10 }],
  ] as const)(
    'shows in a project of type %s (%s) what every name of the package means',
    (kind, _resolution, options) => {
      projects[kind].write('hovered.ts', walletPage.replace(addressOfVite, "''"));
      const shown = hoversOver(join(projects[kind].folder, 'hovered.ts'), options);
      const names = ['createClient', 'getRates', 'corridor', 'status', 'retryAfter', 'best', 'quotes'];
      expect(shown.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
      expect(shown.filter(({ documentation }) => documentation === '')).toEqual([]);
      expect(shown.filter(({ declaration }) => /ClientInfer|Zod|\bany\b/.test(declaration))).toEqual([]);
      const rates = shown.find(({ name }) => name === 'quotes')?.declaration;
      expect(rates).toContain('RateQuote[]');
    },
  );
});

function fixture(name: string) {
  return readFileSync(new URL(`package/${name}`, import.meta.url), 'utf8');
}
