import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import ts from 'typescript';
import { startTestApp, type TestApp } from '../../support/app.js';
import { findChromium, launchChromium } from '../../support/chromium.js';
import { testDatabase } from '../../support/database.js';
import { itWhere } from '../../support/it-where.js';
import { bundleForBrowser } from './bundle.js';
import { createConsumer, fixture } from './consumer.js';
import { shownOver } from './hover-texts.js';
import { startPageServer } from './page-server.js';
import { createViteProject } from './vite-project.js';

/*
 * A wallet's page in two projects that use nothing of this repository but the tarball: one made by `npm create vite`, and
 * one in CommonJS.
 */
const database = testDatabase();
let app: TestApp;
const vite = await createViteProject();
const commonJs = await createConsumer('commonjs');
const itInstalled = itWhere(vite !== undefined, 'no npm registry: a new project of Vite with the package');
const itInBrowser = itWhere(
  vite !== undefined && findChromium() !== undefined,
  'no Chromium found (set CHROMIUM_PATH): the page of a new project of Vite',
);
const page = fixture('wallet-page.ts.txt');
const addressOfVite = 'import.meta.env.VITE_FAIRLEAD_URL';
const env = () => ({ VITE_FAIRLEAD_URL: app.url });

beforeAll(async () => {
  app = await startTestApp({ uri: database.uri });
  vite?.write('src/main.ts', page);
});
afterAll(async () => {
  vite?.remove();
  commonJs?.remove();
  await app.close();
});

/** The project, which exists wherever a test of this file runs. */
function installed<T>(project: T | undefined): T {
  if (project === undefined) throw new Error('the package was not installed');
  return project;
}

/** The text of the page at this address, once it shows any. */
async function saidBy(url: string): Promise<string> {
  const browser = await launchChromium(findChromium() ?? '');
  try {
    const opened: Page = await browser.newPage();
    const complaints: string[] = [];
    opened.on('pageerror', (error) => complaints.push(error.message));
    await opened.goto(url);
    await opened.waitForFunction('/ pays |[A-Z]{2,}_|no offer/.test(document.body.innerText)');
    expect(complaints).toEqual([]);
    return String(await opened.evaluate('document.body.innerText'));
  } finally {
    await browser.close();
  }
}

const rate = /^\S.* pays \d+(\.\d+)?$/;

describe('a page in a new project of Vite', () => {
  itInstalled(
    "passes the template's own compiler settings, and its scripts take less than 5.5 kB",
    async () => {
      const project = installed(vite);
      const { status, stdout, stderr } = await project.build(env());
      expect(`${status} ${status === 0 ? '' : stdout + stderr}`).toBe('0 ');
      const sizes = project.builtScripts().map((script) => gzipSync(script, { level: 9 }).byteLength);
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(5_500);
    },
  );

  itInBrowser.each(['preview', 'dev'] as const)(
    'shows a rate of a service of another origin, served by vite %s',
    async (script) => {
      const site = await installed(vite).serve(script, env());
      try {
        expect(await saidBy(site.url)).toMatch(rate);
      } finally {
        await site.stop();
      }
    },
    120_000,
  );
});

describe('a page in a project of CommonJS', () => {
  itInBrowser('shows a rate of a service of another origin', async () => {
    const project = installed(commonJs);
    const text = page
      .replace(addressOfVite, `'${app.url}'`)
      .replace(
        /^document.*$/m,
        "void bestOffer('usdc-ngn', '100').then((offer) => document.body.append(offer));",
      );
    project.write('page.ts', text);
    expect(await project.typeCheck(['page.ts'], { resolution: 'NodeNext', outDir: 'out' })).toBe('');
    const bundle = await bundleForBrowser(project, 'bundled', "require('./out/page.js');\n");
    expect(bundle.contributors).toContainEqual(expect.stringContaining('dist/cjs/client'));
    const site = await startPageServer(bundle.text, app.url);
    try {
      expect(await saidBy(site.url)).toMatch(rate);
    } finally {
      await site.stop();
    }
  });
});

const names = [
  'createClient',
  'rates',
  'getRates',
  'params',
  'corridor',
  'query',
  'amount',
  'status',
  'body',
  'retryAfter',
  'code',
  'message',
  'best',
  'quotes',
  'anchorId',
  'anchorName',
  'receiveAmount',
];
const { ESNext, NodeNext, CommonJS } = ts.ModuleKind;
const editors: [string, ts.CompilerOptions, () => string][] = [
  [
    'Vite (bundler)',
    { module: ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler },
    () => join(installed(vite).folder, 'src/main.ts'),
  ],
  [
    'ES modules (nodenext)',
    { module: NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
    () => join(installed(vite).folder, 'src/main.ts'),
  ],
  [
    'CommonJS (nodenext)',
    { module: NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
    () => placed(),
  ],
  [
    'CommonJS (node10)',
    { module: CommonJS, moduleResolution: ts.ModuleResolutionKind.Node10 },
    () => placed(),
  ],
];

function placed(): string {
  const project = installed(commonJs);
  project.write('hovered.ts', page.replace(addressOfVite, "''"));
  return join(project.folder, 'hovered.ts');
}

describe('an editor over the page', () => {
  itInstalled.each(editors)(
    'shows what every name of the package means, in a project of %s',
    (_kind, options, file) => {
      const shown = shownOver(file(), options);
      expect([...new Set(shown.map(({ name }) => name))].sort()).toEqual([...names].sort());
      expect(shown.filter(({ documentation }) => documentation === '')).toEqual([]);
      expect(shown.filter(({ declaration }) => /ClientInfer|Zod|\bany\b/.test(declaration))).toEqual([]);
    },
  );
});
