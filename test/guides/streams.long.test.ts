import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { type LoopbackServer, listenOnLoopback } from '../../scripts/lib/loopback-server.js';
import { day, intentsFixture } from '../fixtures/intents/intents-over-http.js';
import { findChromium, launchChromium } from '../support/chromium.js';
import { itWhere } from '../support/it-where.js';
import { blockOf } from './fenced-blocks.js';

const chromium = findChromium();
const itInBrowser = itWhere(chromium !== undefined, 'no Chromium: EventSource in a page');
const fixture = intentsFixture({ anchors: ['harbour'] });
let browser: Browser | undefined;
let origin: LoopbackServer;

beforeAll(async () => {
  if (chromium === undefined) return;
  browser = await launchChromium(chromium);
  origin = await listenOnLoopback((_req, res) => {
    res.setHeader('Content-Type', 'text/html');
    res.end('<!doctype html><title>a wallet</title>');
  });
});
afterAll(async () => {
  await browser?.close();
  await origin?.stop();
});

/** A page of another origin that runs a block of docs/streams.md, and records what the block shows. */
async function pageWith(block: RegExp, before = ''): Promise<Page> {
  if (browser === undefined) throw new Error('no browser');
  const page = await browser.newPage();
  await page.goto(origin.origin);
  const { text } = blockOf('docs/streams.md', block);
  const code = text.replace('https://fairlead.example', fixture.app.url);
  await page.addScriptTag({
    content: `window.shown = []; const show = (value) => window.shown.push(value); const warn = show; ${before}\n${code}`,
  });
  return page;
}

const shownOn = (page: Page) => page.evaluate('window.shown') as Promise<Record<string, unknown>[]>;

describe('the blocks of docs/streams.md in a page of another origin', () => {
  itInBrowser('show rates', async () => {
    const page = await pageWith(/EventSource\('/);
    await page.waitForFunction('window.shown.length > 0');
    expect((await shownOn(page))[0]).toMatchObject({ corridor: 'usdc-ngn', amount: '100' });
    await page.close();
  });

  itInBrowser('follow an intent until it is over, and close the stream then', async () => {
    const { body } = await fixture.post(fixture.terms());
    const page = await pageWith(/EventSource\(`/, `const intentHash = '${body.intentHash}';`);
    await page.waitForFunction('window.shown.length > 0');
    await fixture.pass(2 * day);
    await fixture.settle();
    await page.waitForFunction('window.shown.length > 1');
    expect((await shownOn(page)).map(({ status }) => status)).toEqual(['pending', 'expired']);
    await page.waitForFunction('stream.readyState === EventSource.CLOSED');
    await page.close();
  });
});
