import { mkdirSync } from 'node:fs';
import { describe, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { artifacts, authorize, docsPage } from '../fixtures/browser/docs-page.js';
import { axeFindings, sidewaysFindings } from '../fixtures/web/findings.js';
import { testAdminKey } from '../support/app.js';
import { itInBrowser } from '../support/chromium.js';

const docs = await docsPage({ dressed: true });
mkdirSync(artifacts, { recursive: true });
const operation = '#operations-rates-getRates';

async function tryRates(page: Page): Promise<void> {
  await page.locator(`${operation} .opblock-summary-control`).click();
  await page.locator(`${operation} .try-out__btn`).click();
  await page.locator(`${operation} .execute`).click();
  const live = page.locator(`${operation} .live-responses-table`);
  await live.waitFor();
  expect(await live.locator('.response-col_status').last().textContent()).toMatch(/^200/);
  expect(await live.locator('.response-col_description').last().textContent()).toContain('"quotes"');
}

describe('the documentation in the dress of the page', () => {
  itInBrowser.each([
    [1280, 'light'],
    [360, 'dark'],
  ] as const)(
    'at %s px, %s, is readable with an operation tried, and does not scroll sideways',
    async (width, colorScheme) => {
      const { page, complaints } = await docs.open('/docs', {
        viewport: { width, height: 1200 },
        colorScheme,
      });
      await page.getByRole('navigation', { name: 'Areas' }).getByRole('link', { name: 'API' }).waitFor();
      await tryRates(page);
      await page.screenshot({ path: `${artifacts}docs-${width}-${colorScheme}.png`, fullPage: true });
      expect(await sidewaysFindings(page)).toEqual([]);
      expect(await axeFindings(page)).toEqual([]);
      expect(complaints).toEqual([]);
      await page.close();
    },
    60_000,
  );

  itInBrowser(
    'has the header of the page, whose links leave for it and back, and opens the operation that is chosen',
    async () => {
      const { page } = await docs.open('/docs');
      const links = page.getByRole('navigation', { name: 'Areas' }).getByRole('link');
      await links.first().waitFor();
      expect(await links.allTextContents()).toEqual(['Rates', 'Anchors', 'Off-ramp', 'Proof', 'API']);
      expect(await links.last().getAttribute('aria-current')).toBe('page');
      await links.nth(1).click();
      await page.locator('h1').waitFor();
      expect(new URL(page.url()).pathname).toBe('/anchors');
      expect(await page.locator('#swagger-ui').count()).toBe(0);
      await page.getByRole('navigation', { name: 'Areas' }).getByRole('link', { name: 'API' }).click();
      expect(await page.locator('script[src*="swagger"]').count()).toBe(0);
      await page.getByRole('link', { name: 'GET /api/rates/{corridor}', exact: true }).click();
      await page.locator(`${operation}.is-open .try-out__btn`).waitFor();
      expect(new URL(page.url()).pathname).toBe('/docs');
      await page.close();
    },
  );

  itInBrowser('has the theme that the reader chose on the page, whatever the system has', async () => {
    const { page } = await docs.open('/docs', { colorScheme: 'light' });
    const background = () =>
      page.evaluate('getComputedStyle(document.querySelector(".swagger-ui")).backgroundColor');
    const light = await background();
    await page.getByRole('combobox', { name: 'Theme' }).selectOption('dark');
    const dark = await background();
    expect(dark).not.toBe(light);
    await page.reload({ waitUntil: 'networkidle' });
    await page.waitForSelector('.opblock-summary');
    expect(await background()).toBe(dark);
    await page.close();
  });
});

describe('the documentation', () => {
  itInBrowser('loads no document that its query string names', async () => {
    const watched = await docs.open('/docs?url=/other.json&configUrl=/config.json');
    const { page, requested } = watched;
    const paths = requested.map(({ pathname }) => pathname);
    expect(paths).toContain('/docs/reference.json');
    expect(paths).not.toContain('/other.json');
    expect(paths).not.toContain('/config.json');
    await page.close();
  });

  itInBrowser('keeps the admin key in the memory of the page alone', async () => {
    const { page } = await docs.open('/docs');
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
      const { page } = await docs.open('/docs');
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
      expect(await docs.app.connection.collection(registered).countDocuments()).toBe(0);
      await page.close();
    },
  );
});
