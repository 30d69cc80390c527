import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Keypair } from '@stellar/stellar-base';
import { build } from 'esbuild';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { moneyMovements, offrampErrors } from '../../contract/offramp/index.js';
import { freePort } from '../../scripts/lib/free-port.js';
import { type LoopbackServer, listenOnLoopback } from '../../scripts/lib/loopback-server.js';
import { type SimulatedAnchors, startSimulatedAnchors } from '../../scripts/simulated-anchors/index.js';
import { type SimulatedLedger, startSimulatedLedger } from '../../scripts/simulated-ledger/index.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { findChromium, launchChromium } from '../support/chromium.js';
import { testDatabase } from '../support/database.js';
import { itWhere } from '../support/it-where.js';
import { runProgram } from '../support/run-program.js';
import { blockOf, everyBlock } from './fenced-blocks.js';

/*
 * Runs the blocks of docs/guides/wallets.md in a page of Chromium, as modules named on their fences. Only the addresses of
 * the service and the ledger differ, since the printed ones may be taken.
 */
const guide = 'docs/guides/wallets.md';
const root = fileURLToPath(new URL('../../', import.meta.url));
const itInBrowser = itWhere(
  findChromium() !== undefined,
  'no Chromium found (set CHROMIUM_PATH): an off-ramp in a page',
);
const database = testDatabase();
const folder = mkdtempSync(join(tmpdir(), 'fairlead-wallet-guide-'));
const secret = Keypair.random().secret();
const account = Keypair.fromSecret(secret).publicKey();
let ledger: SimulatedLedger;
let anchors: SimulatedAnchors;
let app: TestApp;
let bundle: string;
let browser: Browser;
let site: LoopbackServer;

/** Uses the modules of the guide in a page. */
const pageProgram = `
import { offers } from './compare.js';
import { goOn, sell } from './sell.js';
import { tryingWallet } from './wallet.js';
import { explain } from './stopped.js';
import { outcomeOf } from './follow.js';
import { showSteps } from './live.js';

const wallet = tryingWallet('${secret}');
Object.assign(globalThis, { offers, sell, goOn, explain, outcomeOf, showSteps, wallet });
`;

beforeAll(async () => {
  ledger = await startSimulatedLedger({ clock: Date.now });
  anchors = await startSimulatedAnchors({
    clock: Date.now,
    random: () => 0.5,
    latencyFactor: 0,
    anchors: ['harbour'],
    ledger,
    pace: 0.01,
    tickMs: 200,
  });
  const port = await freePort();
  app = await startTestApp({
    uri: database.uri,
    simulated: anchors,
    env: {
      PORT: String(port),
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      SCHEDULER: 'on',
      LEDGER_RPC_URL: ledger.rpcUrl,
      HORIZON_URL: ledger.horizonUrl,
    },
  });
  writeModules();
  bundle = await bundlePage();
  site = await startSite();
  const executable = findChromium();
  if (executable !== undefined) browser = await launchChromium(executable);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await site?.stop();
  await app?.close();
  await anchors?.stop();
  await ledger?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Writes the modules of the guide and the page's program next to the packages that they import. */
function writeModules(): void {
  const names: string[] = [];
  for (const { file, fence, text } of everyBlock()) {
    const [, name] = /^ts ([a-z]+)$/.exec(fence) ?? [];
    if (file !== guide || name === undefined) continue;
    names.push(name);
    const here = text
      .replaceAll('http://127.0.0.1:8080', app.url)
      .replaceAll('http://127.0.0.1:7298/rpc', ledger.rpcUrl);
    writeFileSync(join(folder, `${name}.ts`), here);
  }
  expect(names).toEqual(['compare', 'sell', 'wallet', 'stopped', 'follow', 'live']);
  writeFileSync(join(folder, 'page.ts'), pageProgram);
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
}

const sources = {
  '@fairlead/contract': 'contract/index.ts',
  '@fairlead/contract/client': 'contract/client/index.ts',
  '@fairlead/contract/offramp': 'contract/offramp/index.ts',
};

async function bundlePage(): Promise<string> {
  const alias = Object.entries(sources).map(([name, path]) => [name, join(root, path)]);
  const { outputFiles } = await build({
    absWorkingDir: folder,
    entryPoints: ['page.ts'],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    alias: Object.fromEntries(alias.sort(([a = ''], [b = '']) => b.length - a.length)),
    write: false,
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}

/** A separate origin, with a policy without eval that lets pages connect to service, anchor and ledger only. */
function startSite(): Promise<LoopbackServer> {
  const origins = [app.url, anchors.anchor('harbour').origin, new URL(ledger.rpcUrl).origin].join(' ');
  const policy = `default-src 'none'; script-src 'self'; connect-src ${origins}`;
  return listenOnLoopback((request, response) => {
    const isScript = request.url === '/bundle.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html; charset=utf-8');
    response.setHeader('content-security-policy', policy);
    const page = '<!doctype html><title>A wallet</title><script type="module" src="/bundle.js"></script>';
    response.end(isScript ? bundle : page);
  });
}

async function openPage(context: BrowserContext, complaints: string[]): Promise<Page> {
  const page = await context.newPage();
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(`${site.origin}/`);
  await page.waitForFunction('typeof sell === "function"');
  return page;
}

async function payments(): Promise<unknown[]> {
  const answer = await fetch(`${ledger.horizonUrl}/accounts/${account}/payments?limit=200`);
  return ((await answer.json()) as { _embedded: { records: unknown[] } })._embedded.records;
}

describe('docs/guides/wallets.md', () => {
  it('lists every code of OfframpError and everything that is said of the money', () => {
    expect(codesOf(guide)).toEqual([...Object.keys(moneyMovements), ...Object.keys(offrampErrors)]);
  });

  it('has blocks that type-check strictly', async () => {
    const paths = Object.entries(sources).map(([name, path]) => [name, [join(root, path)]]);
    const compilerOptions = {
      target: 'ES2022',
      lib: ['ES2022', 'DOM', 'DOM.Iterable'],
      module: 'ESNext',
      moduleResolution: 'Bundler',
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: true,
      noEmit: true,
      types: [],
      paths: Object.fromEntries(paths),
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['page.ts'] }));
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const { stdout } = await runProgram(process.execPath, [tsc, '-p', folder]);
    expect(stdout).toBe('');
  }, 120_000);

  it('says how to install what the blocks import', () => {
    expect(blockOf(guide, /^npm install/).text).toContain('@fairlead/contract @stellar/stellar-base');
  });

  itInBrowser(
    'sells in a page whose tab is closed when the payment was submitted and not answered: paid once, followed',
    async () => {
      const complaints: string[] = [];
      const context = await browser.newContext();
      const first = await openPage(context, complaints);
      const submitted = new Promise<void>((resolve) => {
        void first.route(ledger.rpcUrl, async (route) => {
          if (!route.request().postData()?.includes('sendTransaction')) return route.continue();
          await route.fetch();
          await first.close();
          resolve();
        });
      });
      const begun = first
        .evaluate(`offers('usdc-ngn', '100').then(([best]) => sell(best, wallet, '1000')).catch(explain)`)
        .then((said) => {
          throw new Error(`the tab should have been closed: ${JSON.stringify(said)}`);
        })
        .catch((error: Error) => error.message);
      await Promise.race([submitted, begun]);
      expect(await begun).toMatch(/closed/);

      const second = await openPage(context, complaints);
      const another = `offers('usdc-ngn', '100').then(([best]) => sell(best, wallet)).catch((e) => e.message)`;
      expect(await second.evaluate(another)).toMatch(/not finished/);
      const done = (await second.evaluate('goOn(wallet).catch(explain)')) as {
        intent: { intentHash: string; anchorId: string };
        amountOut: string;
      };
      expect(done).toMatchObject({ intent: { status: 'settled' }, state: { step: 'ended' } });
      expect(await payments()).toHaveLength(1);
      expect(await second.evaluate(`goOn(wallet)`)).toBeNull();
      const { intentHash } = done.intent;
      expect(await second.evaluate(`outcomeOf('${intentHash}')`)).toEqual({
        status: 'settled',
        verified: true,
        reason: 'completed',
        amountOut: done.amountOut,
      });
      const steps = (await second.evaluate(
        `(async () => { let last = []; await showSteps('${intentHash}', (steps) => { last = steps; }); return last; })()`,
      )) as string[];
      expect(steps[0]).toMatch(/^\S+Z registered $/);
      expect(steps.at(-1)).toMatch(/^\S+Z settled $/);
      const refused = `sell({ corridor: 'usdc-ngn', anchorId: 'nobody', sellAmount: '1' }, wallet).catch(explain)`;
      expect(await second.evaluate(refused)).toMatch(
        /^service_refused \(UNKNOWN_ANCHOR\): money moved: no; over$/,
      );
      expect(await second.evaluate('localStorage.length')).toBe(0);
      expect(complaints).toEqual([]);
    },
    180_000,
  );
});

/** The codes in the first column of the guide's tables. */
function codesOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, code = '']) => code);
}
