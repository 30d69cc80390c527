import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect } from '@jest/globals';
import { countLoads } from '../../fixtures/web/findings.js';
import { itInBrowser, shown, webArtifacts, webBrowser } from '../../fixtures/web/web-browser.js';
import { webService } from '../../fixtures/web/web-service.js';

const service = webService();
const browser = webBrowser();

/** The script that draws the history, the history itself, and the stream, which goes on as long as the page is open. */
const isLater = /^\/assets\/plot-canvas-|\/history\?|\/stream$/;

/** Makes the first request of the service, so that the measured visit does not wait for what only that one does. */
beforeAll(async () => {
  await fetch(`${service.it.app.url}/`, { headers: { 'accept-encoding': 'gzip' } });
});

describe('the first visit', () => {
  itInBrowser(
    'loads less than 90 kB, compressed and with all headers, besides its plot and its stream',
    async () => {
      const { page, context } = await browser.reader();
      const loads = await countLoads(page);
      await page.goto(`${service.it.app.url}/`);
      await shown(page);
      await page.waitForTimeout(2_000);
      const files = loads();
      const first = files.filter(({ path }) => !isLater.test(path));
      const bytes = first.reduce((sum, file) => sum + file.bytes, 0);
      writeFileSync(join(webArtifacts, 'first-load.json'), `${JSON.stringify({ bytes, files }, null, 2)}\n`);
      expect(files.length).toBeGreaterThan(4);
      expect(bytes).toBeLessThan(90_000);
      await context.close();
    },
  );
});
