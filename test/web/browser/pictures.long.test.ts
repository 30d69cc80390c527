import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { maxPictureBytes, pictures } from '../../fixtures/web/pictures.js';
import { itInBrowser, shown, webArtifacts, webBrowser } from '../../fixtures/web/web-browser.js';
import { webService } from '../../fixtures/web/web-service.js';

/** `npm run pictures` writes the pictures of the guides; every other run writes its pictures to the artifacts. */
const folder = process.env.FAIRLEAD_PICTURES
  ? fileURLToPath(new URL('../../../docs/pictures/', import.meta.url))
  : `${webArtifacts}pictures/`;

const guide = readFileSync(new URL('../../../docs/guides/page.md', import.meta.url), 'utf8');

/** The line that a reader copies from the guide, with this service's address. */
const frame = () =>
  (/<iframe .*<\/iframe>/.exec(guide)?.[0] ?? '').replace('http://127.0.0.1:8080', service.it.app.url);

const service = webService();
const browser = webBrowser();

beforeAll(() => {
  mkdirSync(folder, { recursive: true });
});

describe('the pictures of the guides', () => {
  itInBrowser.each(Object.keys(pictures))(
    'show what their guide says, in a file that is quick to load: %s',
    async (name) => {
      const { width = 1200, height = 800, open } = pictures[name] ?? {};
      const { page, context, complaints } = await browser.reader({ viewport: { width, height } });
      await open?.(page, service.it, frame());
      await shown(page);
      const path = `${folder}${name}.webp`;
      writeFileSync(path, await webpOf(page));
      await context.close();
      expect(complaints).toEqual([]);
      expect(statSync(path).size).toBeLessThan(maxPictureBytes);
    },
    120_000,
  );
});

/** Takes the picture as WebP, a third of the size of a PNG; Playwright itself writes PNG and JPEG. */
async function webpOf(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page);
  const options = { format: 'webp', quality: 84 } as const;
  const { data } = await session.send('Page.captureScreenshot', options);
  return Buffer.from(data, 'base64');
}
