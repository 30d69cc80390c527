import { beforeAll, describe, expect, it } from '@jest/globals';
import { pagePaths } from '../../../server/http/page.js';
import { axeFindings, sidewaysFindings } from '../../fixtures/web/findings.js';
import { itInBrowser, shown, webArtifacts, webBrowser } from '../../fixtures/web/web-browser.js';
import { type PageVisit, pageVisits, webService } from '../../fixtures/web/web-service.js';
import { expectFor } from '../../support/expect-for.js';
import { originsOf } from '../../support/watched-page.js';

const service = webService();
const browser = webBrowser();
let visits: PageVisit[];

beforeAll(async () => {
  visits = await pageVisits(service.it);
});

/** Opens every page in each width and theme, and returns all faults. */
async function lookAtEveryPage(lang: string, looks: [width: number, theme: 'light' | 'dark'][]) {
  const { origin } = new URL(service.it.app.url);
  const wrong: string[] = [];
  for (const { name, address, complaint } of visits) {
    const reader = await browser.reader({ locale: lang });
    const { page, context, complaints } = reader;
    await page.goto(`${origin}${address}`);
    await shown(page);
    expectFor(name, await page.locator('html').getAttribute('lang')).toBe(lang);
    expectFor(name, await page.locator('h1').count()).toBe(1);
    for (const [width, theme] of looks) {
      const look = `${name}-${lang}-${width}-${theme}`;
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme: theme });
      await page.screenshot({ path: `${webArtifacts}${look}.png`, fullPage: true });
      const findings = [...(await sidewaysFindings(page)), ...(await axeFindings(page))];
      wrong.push(...findings.map((finding) => `${look}: ${finding}`));
    }
    const unexpected = complaints.filter((text) => complaint?.test(text) !== true);
    const others = originsOf(reader).filter((each) => each !== origin);
    wrong.push(...[...unexpected, ...others].map((each) => `${name}-${lang}: ${each}`));
    await context.close();
  }
  expect(wrong).toEqual([]);
}

describe('every page', () => {
  it('that the server serves is among those looked at', () => {
    expect([...new Set(visits.map(({ path }) => path))].sort()).toEqual(
      pagePaths.map(({ path }) => path).sort(),
    );
  });

  itInBrowser(
    'in three widths, light or dark: no complaint, no other origin, no sideways scrolling, nothing that axe finds',
    () =>
      lookAtEveryPage('en', [
        [390, 'light'],
        [820, 'dark'],
        [1280, 'light'],
      ]),
    300_000,
  );

  itInBrowser(
    'in French: the same, on a telephone and on a wide screen',
    () =>
      lookAtEveryPage('fr', [
        [390, 'dark'],
        [1280, 'light'],
      ]),
    200_000,
  );
});
