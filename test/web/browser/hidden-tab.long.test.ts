import { randomBytes } from 'node:crypto';
import { describe, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { walletOf } from '../../../scripts/simulated-wallets/wallet.js';
import { texts } from '../../fixtures/web/texts.js';
import { itInBrowser, shown, webBrowser } from '../../fixtures/web/web-browser.js';
import { webService } from '../../fixtures/web/web-service.js';
import { waitFor } from '../../support/wait-for.js';

const service = webService();
const browser = webBrowser();

/** Simulates the reader's change to another tab or back, which a browser without a window never reports. */
function setHidden(page: Page, isHidden: boolean): Promise<void> {
  return page.evaluate((hidden) => {
    const { document, Event } = globalThis as unknown as {
      document: EventTarget;
      Event: typeof globalThis.Event;
    };
    Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }, isHidden);
}

/** The streams of a page: how many were opened, and how many are open. */
function streamsOf(page: Page) {
  const count = { opened: 0, over: 0 };
  const isStream = (url: string) => new URL(url).pathname.endsWith('/stream');
  page.on('request', (request) => {
    if (isStream(request.url())) count.opened += 1;
  });
  for (const event of ['requestfinished', 'requestfailed'] as const)
    page.on(event as 'requestfailed', (request) => {
      if (isStream(request.url())) count.over += 1;
    });
  return { opened: () => count.opened, open: () => count.opened - count.over };
}

/** The page of a newly registered intent. */
async function openIntent(): Promise<string> {
  const { account } = walletOf(randomBytes(32));
  const nonce = randomBytes(24).toString('base64url');
  const response = await fetch(`${service.it.app.url}/api/intent/offramp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ corridor: 'usdc-ngn', anchorId: 'harbour', account, sellAmount: '100', nonce }),
  });
  expect(response.status).toBe(201);
  const { intentHash } = (await response.json()) as { intentHash: string };
  return `/offramp/${intentHash}`;
}

describe('a tab that nobody sees', () => {
  itInBrowser(
    'holds no connection for an off-ramp, and opens one again when it is seen again',
    async () => {
      const { page, context, complaints } = await browser.reader();
      const streams = streamsOf(page);
      await page.goto(`${service.it.app.url}${await openIntent()}`);
      await shown(page);
      const log = page.getByRole('table').filter({ hasText: texts.offramp.logWhat }).getByRole('row');
      const live = page.getByText(texts.offramp.live).first();
      await log.last().waitFor();
      await live.waitFor();
      const before = await log.allTextContents();
      expect([streams.opened(), streams.open()]).toEqual([1, 1]);

      await setHidden(page, true);
      await waitFor(() => expect(streams.open()).toBe(0));
      await setHidden(page, false);
      await waitFor(() => expect(streams.opened()).toBe(2));
      await live.waitFor();
      expect(streams.open()).toBe(1);
      expect(await log.allTextContents()).toEqual(before);
      expect(complaints).toEqual([]);
      await context.close();
    },
    60_000,
  );
});
