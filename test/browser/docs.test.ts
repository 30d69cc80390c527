import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { startTestApp, type TestApp, testAdminKey } from '../support/app.js';
import { findChromium, launchChromium } from '../support/chromium.js';
import { testDatabase } from '../support/database.js';
import { itWhere } from '../support/it-where.js';

const artifacts = fileURLToPath(new URL('../../artifacts/', import.meta.url));
const executable = findChromium();
const database = testDatabase();
let app: TestApp;
let browser: Browser;
const itInBrowser = itWhere(
  executable !== undefined,
  'no Chromium found (set CHROMIUM_PATH): the documentation page in a browser',
);

beforeAll(async () => {
  app = await startTestApp({ uri: database.uri });
  if (executable !== undefined) browser = await launchChromium(executable);
});
afterAll(async () => {
  await browser?.close();
  await app.close();
});

/** Runs in the page. */
const reportViolations = `document.addEventListener('securitypolicyviolation', (event) =>
  console.error('policy violated: ' + event.violatedDirective + ' by ' + event.blockedURI));`;

/** The page's console errors, policy violations and requests, from its first byte on. */
interface Watched {
  page: Page;
  complaints: string[];
  requested: URL[];
}

async function open(path: string): Promise<Watched> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 1600 } });
  const watched: Watched = { page, complaints: [], requested: [] };
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) watched.complaints.push(message.text());
  });
  page.on('pageerror', (error) => watched.complaints.push(error.message));
  page.on('requestfailed', (request) => watched.complaints.push(`${request.url()} failed`));
  page.on('request', (request) => watched.requested.push(new URL(request.url())));
  // A violation is reported to the page itself as well: it must not depend on how a browser words it.
  await page.addInitScript({ content: reportViolations });
  await page.goto(`${app.url}${path}`, { waitUntil: 'networkidle' });
  await page.waitForSelector('.opblock-summary');
  return watched;
}

/** Gives the page the admin key, as an operator would. */
async function authorize(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Authorize' }).first().click();
  const form = page.locator('.auth-container').filter({ hasText: 'X-Admin-Key' });
  await form.locator('input').fill(testAdminKey);
  await form.getByRole('button', { name: 'Apply credentials' }).click();
  await form.getByRole('button', { name: 'Remove authorization' }).waitFor();
  await page.locator('.close-modal').click();
}

describe('the documentation page in a real browser', () => {
  itInBrowser.each(['/docs', '/docs/'])(
    '%s loads without console errors or policy violations, and asks no other origin',
    async (path) => {
      const watched = await open(path);
      const { page, complaints, requested } = watched;
      expect(await page.title()).toBe('Fairlead API');
      expect(await page.locator('.info .title').textContent()).toContain('Fairlead');
      expect(complaints).toEqual([]);
      expect(requested.filter(({ protocol, origin }) => protocol !== 'data:' && origin !== app.url)).toEqual(
        [],
      );
      await page.close();
    },
  );

  itInBrowser('loads no document that its query string names', async () => {
    const watched = await open('/docs?url=/other.json&configUrl=/config.json');
    const { page, requested } = watched;
    const paths = requested.map(({ pathname }) => pathname);
    expect(paths).toContain('/openapi.json');
    expect(paths).not.toContain('/other.json');
    expect(paths).not.toContain('/config.json');
    await page.close();
  });

  itInBrowser('sends the rates operation by "Try it out" and shows its 200', async () => {
    const watched = await open('/docs');
    const { page, complaints } = watched;
    const operation = page.locator('[id$="-getRates"]');
    await operation.locator('.opblock-summary-control').click();
    await operation.getByRole('button', { name: 'Try it out' }).click();
    const answered = page.waitForResponse((response) => response.url().includes('/api/rates/'));
    await operation.getByRole('button', { name: 'Execute' }).click();
    expect((await answered).status()).toBe(200);
    const live = operation.locator('.live-responses-table');
    await live.waitFor();
    expect(await live.locator('.response-col_status').last().textContent()).toMatch(/^200/);
    expect(await live.locator('.response-col_description').last().textContent()).toContain('"quotes"');
    expect(complaints).toEqual([]);
    mkdirSync(artifacts, { recursive: true });
    await operation.scrollIntoViewIfNeeded();
    await page.screenshot({ path: `${artifacts}docs.png` });
    await page.close();
  });

  itInBrowser('shows public reads first, and the headers of an operation once', async () => {
    const { page } = await open('/docs');
    const tags = await page.locator('.opblock-tag').evaluateAll((all) => all.map((one) => one.dataset.tag));
    expect(tags.slice(0, 4)).toEqual(['rates', 'corridors', 'anchors', 'reputation']);
    const operation = page.locator('[id$="-getRates"]');
    await operation.locator('.opblock-summary-control').click();
    await operation.locator('.headers-wrapper').first().waitFor();
    expect(await operation.locator('.responses-table .response').count()).toBeGreaterThan(3);
    expect(await operation.locator('.headers-wrapper:visible').count()).toBe(1);
    await page.close();
  });

  itInBrowser('keeps the admin key in the memory of the page alone', async () => {
    const { page } = await open('/docs');
    await authorize(page);
    expect(
      await page.evaluate('JSON.stringify([localStorage, sessionStorage, document.cookie])'),
    ).not.toContain(testAdminKey);
    await page.reload({ waitUntil: 'networkidle' });
    await page.getByRole('button', { name: 'Authorize' }).first().click();
    await page.locator('.auth-container input').first().waitFor();
    expect(await page.locator('.auth-container').first().textContent()).not.toContain('Logout');
    await page.close();
  });

  itInBrowser.each(['createIntent', 'createWebhook'])(
    'prefills %s with a request that is refused, so that a try registers nothing',
    async (operationId) => {
      const { page } = await open('/docs');
      await authorize(page);
      const operation = page.locator(`[id$="-${operationId}"]`);
      await operation.locator('.opblock-summary-control').click();
      await operation.getByRole('button', { name: 'Try it out' }).click();
      const answered = page.waitForResponse((response) => response.request().method() === 'POST');
      await operation.getByRole('button', { name: 'Execute' }).click();
      const answer = await answered;
      expect(answer.status()).toBe(400);
      expect(await answer.json()).toMatchObject({ code: 'INVALID_REQUEST' });
      const registered = { createIntent: 'intents', createWebhook: 'webhooks' }[operationId] ?? '';
      expect(await app.connection.collection(registered).countDocuments()).toBe(0);
      await page.close();
    },
  );
});
