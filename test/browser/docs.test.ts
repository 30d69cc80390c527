import { describe, expect } from '@jest/globals';
import { docsPage } from '../fixtures/browser/docs-page.js';
import { itInBrowser } from '../support/chromium.js';

const docs = await docsPage();

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
});
