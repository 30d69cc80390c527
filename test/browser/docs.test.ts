import { mkdirSync } from 'node:fs';
import { describe, expect } from '@jest/globals';
import { artifacts, docsPage, itInBrowser } from '../fixtures/browser/docs-page.js';

const docs = docsPage();

describe('the documentation page in a real browser', () => {
  itInBrowser.each(['/docs', '/docs/'])(
    '%s loads without console errors or policy violations, and asks no other origin',
    async (path) => {
      const watched = await docs.open(path);
      const { page, complaints, requested } = watched;
      expect(await page.title()).toBe('Fairlead API');
      expect(await page.locator('.info .title').textContent()).toContain('Fairlead');
      expect(complaints).toEqual([]);
      expect(
        requested.filter(({ protocol, origin }) => protocol !== 'data:' && origin !== docs.app.url),
      ).toEqual([]);
      await page.close();
    },
  );

  itInBrowser('sends the rates operation by "Try it out" and shows its 200', async () => {
    const watched = await docs.open('/docs');
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
});
