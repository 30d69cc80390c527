import { describe, expect } from '@jest/globals';
import { authorize, docsPage, itInBrowser } from '../fixtures/browser/docs-page.js';
import { testAdminKey } from '../support/app.js';

const docs = docsPage();

describe('the documentation page in a real browser', () => {
  itInBrowser('loads no document that its query string names', async () => {
    const watched = await docs.open('/docs?url=/other.json&configUrl=/config.json');
    const { page, requested } = watched;
    const paths = requested.map(({ pathname }) => pathname);
    expect(paths).toContain('/openapi.json');
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
