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
      const shownMs = Number(await page.evaluate('performance.now()'));
      await page.waitForTimeout(2_000);
      const timing = await page.evaluate(
        `(({ domInteractive, domContentLoadedEventEnd }) => ({ domInteractive, domContentLoadedEventEnd }))(
        performance.getEntriesByType('navigation')[0])`,
      );
      const files = loads();
      const bytesOf = (some: typeof files) => some.reduce((sum, file) => sum + file.bytes, 0);
      const bytes = bytesOf(files.filter(({ path }) => !isLater.test(path)));
      const report = { bytes, bytesWithPlots: bytesOf(files), shownMs: Math.round(shownMs), timing, files };
      writeFileSync(join(webArtifacts, 'first-load.json'), `${JSON.stringify(report, null, 2)}\n`);
      expect(files.length).toBeGreaterThan(4);
      expect(bytes).toBeLessThan(90_000);
      await context.close();
    },
  );
});
