import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { startTestApp, type TestApp } from '../../support/app.js';
import { findChromium, launchChromium } from '../../support/chromium.js';
import { testDatabase } from '../../support/database.js';
import { itWhere } from '../../support/it-where.js';
import { runProgram } from '../../support/run-program.js';
import { testRun } from '../../support/test-run.js';
import { type PageServer, startPageServer } from '../package/page-server.js';

/* Builds the page of docs/guides/tanstack-query.md from its own blocks, and uses it in a browser. */
const root = fileURLToPath(new URL('../../../', import.meta.url));
const entry = join(root, 'contract/client/index.ts');
const folder = join(testRun.runDir, 'tanstack-query');
const chromium = findChromium();
const itInBrowser = itWhere(
  chromium !== undefined,
  'no Chromium found (set CHROMIUM_PATH): the page of docs/guides/tanstack-query.md',
);
const database = testDatabase();
let app: TestApp;
let site: PageServer;
let browser: Browser;
let page: Page;
/** The addresses that the page has asked for, without the origin. */
let asked: string[];

const guide = readFileSync(join(root, 'docs/guides/tanstack-query.md'), 'utf8');
/** The files that the guide's blocks stand for, by the language and the name on the fence. */
const blocks = [...guide.matchAll(/^```(tsx?) ([a-z-]+)\n(.*?)^```$/gms)].map(
  ([, kind = '', name = '', text = '']) => ({ path: `${name}.${kind}`, text }),
);

function writeBlocks(serviceUrl: string): void {
  mkdirSync(folder, { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const { path, text } of blocks)
    writeFileSync(join(folder, path), text.replaceAll('https://fairlead.example', serviceUrl));
}

async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: folder,
    entryPoints: ['page.tsx'],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    alias: { '@fairlead/contract/client': entry },
    write: false,
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}

beforeAll(async () => {
  app = await startTestApp({ uri: database.uri });
  writeBlocks(app.url);
  site = await startPageServer(await bundle(), app.url);
  if (chromium !== undefined) browser = await launchChromium(chromium);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await site.stop();
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  if (chromium === undefined) return;
  page = await (await browser.newContext()).newPage();
  asked = [];
  page.on('request', (request) => {
    if (request.url().startsWith(`${app.url}/api/`)) asked.push(request.url().slice(app.url.length));
  });
});

const ratesAsked = () => asked.filter((path) => path.startsWith('/api/rates/'));
const offers = () => page.locator('ol li');
const choose = (amount: string) => page.locator('select').selectOption(amount);

/** An error as the service would answer it to another origin. */
const notReady = {
  status: 503,
  headers: {
    'content-type': 'application/json',
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'Retry-After',
    'retry-after': '1',
  },
  body: JSON.stringify({ code: 'NOT_READY', message: 'Starting.', retryAfter: 1 }),
};

describe('the page of docs/guides/tanstack-query.md', () => {
  it('type-checks strictly, block by block', async () => {
    const compilerOptions = {
      module: 'ESNext',
      moduleResolution: 'Bundler',
      target: 'ES2022',
      lib: ['ES2022', 'DOM', 'DOM.Iterable'],
      jsx: 'react-jsx',
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      verbatimModuleSyntax: true,
      skipLibCheck: true,
      noEmit: true,
      types: [],
      paths: { '@fairlead/contract/client': [entry] },
    };
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, include: ['*.ts', '*.tsx'] }),
    );
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const { stdout } = await runProgram(process.execPath, [compiler, '-p', folder]);
    expect(stdout).toBe('');
    expect(blocks.map(({ path }) => path)).toContain('page.tsx');
  }, 120_000);

  itInBrowser('shows the offers, and asks again for those that are fresh no more, not before', async () => {
    const start = new Date();
    await page.clock.setFixedTime(start);
    await page.goto(site.url);
    await offers().first().waitFor();
    expect(await offers().allTextContents()).toContainEqual(
      expect.stringMatching(/pays \d+\.\d\d, the best offer$/),
    );
    await choose('250');
    await offers().first().waitFor();
    await choose('100');
    await offers().first().waitFor();
    expect(ratesAsked()).toHaveLength(2);
    await choose('250');
    await page.clock.setFixedTime(new Date(start.getTime() + 3_600_000));
    const again = page.waitForRequest((request) => request.url().includes('amount=100'));
    await choose('100');
    await again;
  });

  itInBrowser('explains an error by its code', async () => {
    await page.goto(site.url);
    await choose('99999999');
    const alert = page.getByRole('alert');
    await alert.waitFor();
    expect(await alert.textContent()).toMatch(/^The amount must be between/);
    expect(ratesAsked().filter((path) => path.includes('99999999'))).toHaveLength(1);
  });

  itInBrowser('waits out a 503 as its Retry-After says', async () => {
    let refusals = 0;
    await page.route('**/api/rates/**', async (route) => {
      refusals += 1;
      if (refusals === 1) await route.fulfill(notReady);
      else await route.continue();
    });
    await page.goto(site.url);
    await offers().first().waitFor();
    expect(refusals).toBe(2);
  });

  itInBrowser('ends a request whose answer nobody waits for any more', async () => {
    await page.goto(site.url);
    await offers().first().waitFor();
    await page.route('**/api/rates/**amount=250', () => undefined);
    const begun = page.waitForRequest(/amount=250/);
    await choose('250');
    await begun;
    const ended = page.waitForEvent('requestfailed', (request) => request.url().includes('amount=250'));
    await choose('100');
    expect((await ended).failure()?.errorText).toContain('ABORTED');
  });

  itInBrowser('reads the list of anchors page by page to its end', async () => {
    await page.goto(site.url);
    const anchors = page.locator('section li');
    const more = page.getByRole('button', { name: 'More' });
    await anchors.first().waitFor();
    expect(await anchors.count()).toBe(2);
    const { body } = await app.client.request<{ items: { name: string }[] }>('GET', '/api/anchors?limit=100');
    for (let known = 2; known < body.items.length; known += 2) {
      await more.click();
      await anchors.nth(known).waitFor();
    }
    await more.waitFor({ state: 'detached' });
    expect(await anchors.allTextContents()).toEqual(body.items.map(({ name }) => name));
    expect(body.items.length).toBeGreaterThan(2);
  });
});
