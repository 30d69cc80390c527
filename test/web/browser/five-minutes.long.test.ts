import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, expect } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { type PageVisit, pageVisits } from '../../fixtures/web/page-visits.js';
import { texts } from '../../fixtures/web/texts.js';
import { itInBrowser, shown, webArtifacts, webBrowser } from '../../fixtures/web/web-browser.js';
import { webService } from '../../fixtures/web/web-service.js';
import { runSeed, seeded } from '../../support/seeded.js';

/** CONTRIBUTING.md names this variable. */
const seconds = Number(process.env.FAIRLEAD_CLICKING_SECONDS ?? '300');
const random = seeded(runSeed());
const service = webService();
const browser = webBrowser();
let visits: PageVisit[];

beforeAll(async () => {
  visits = await pageVisits(service.it);
});

function oneOf<T>(items: readonly T[]): T | undefined {
  return items[Math.floor(random() * items.length)];
}

/** One of the first 40 matches. */
async function seenOneOf(found: Locator): Promise<Locator | undefined> {
  const all = await found.all();
  return oneOf(all.slice(0, 40));
}

const quick = { timeout: 1_500 };

/** A person's actions on a page; the control may have disappeared meanwhile. */
const doings: Record<string, (page: Page) => Promise<unknown>> = {
  async link(page) {
    const own = 'a[href^="/"]:not([href^="/docs"]):not([target]):visible';
    return (await seenOneOf(page.locator(own)))?.click(quick);
  },
  async option(page) {
    const select = await seenOneOf(page.locator('main select:visible:enabled'));
    const values = await select
      ?.locator('option')
      .evaluateAll((all) => all.map((one) => one.getAttribute('value') ?? one.textContent ?? ''));
    return select?.selectOption(oneOf(values ?? []) ?? '', quick);
  },
  async radio(page) {
    return (await seenOneOf(page.locator('main label:has(input[type=radio]):visible')))?.click(quick);
  },
  async amount(page) {
    const field = await seenOneOf(page.locator('main input[inputmode=decimal]:visible'));
    return field?.fill(String(5 + Math.floor(random() * 900)), quick);
  },
  async button(page) {
    const buttons = page.locator('main button:visible:enabled').filter({ hasNotText: texts.common.askNow });
    return (await seenOneOf(buttons))?.click(quick);
  },
  async details(page) {
    return (await seenOneOf(page.locator('main summary:visible')))?.click(quick);
  },
  back: (page) => page.goBack({ timeout: 5_000 }),
};

itInBrowser(
  'a person who clicks about for five minutes is never refused, behind the limits of one client',
  async () => {
    const { page, context, complaints } = await browser.reader();
    const answers = new Map<string, number>();
    const refused: string[] = [];
    const done: Record<string, number> = {};
    page.on('response', async (response) => {
      const { pathname, search } = new URL(response.url());
      if (!/^\/(api|v1)\//.test(pathname)) return;
      const status = response.status();
      answers.set(String(status), (answers.get(String(status)) ?? 0) + 1);
      if (status !== 429 && status !== 503) return;
      // No simulated anchor pays out a few naira: some refuse, and others fail on purpose, so that nobody answers.
      const isUnavailable = (await response.text().catch(() => '')).includes('"RATES_UNAVAILABLE"');
      if (!isUnavailable) refused.push(`${status} ${pathname}${search}`);
    });
    const home = () => page.goto(`${service.it.app.url}${oneOf(visits)?.address ?? '/'}`);
    await home();
    const until = Date.now() + seconds * 1_000;
    while (Date.now() < until) {
      const name = oneOf(Object.keys(doings)) ?? 'link';
      const isDone = await doings[name]?.(page).then(
        () => true,
        () => false,
      );
      if (isDone === true) done[name] = (done[name] ?? 0) + 1;
      await delay(200 + 900 * random());
      // Going back may lead to the page before the first one.
      if (!page.url().startsWith(service.it.app.url)) await home();
      // A refusal within a stream has no HTTP status, so it is found by its text.
      if (await page.getByText(texts.common.problemLimited).isVisible())
        refused.push(`shown at ${page.url()}`);
    }
    await shown(page);
    const report = { seconds, done, answers: Object.fromEntries(answers), refused, complaints };
    writeFileSync(join(webArtifacts, 'five-minutes.json'), `${JSON.stringify(report, null, 2)}\n`);
    expect(refused).toEqual([]);
    expect(complaints.filter((text) => !/status of (400|404|422|503)/.test(text))).toEqual([]);
    const clicks = Object.values(done).reduce((sum, count) => sum + count, 0);
    expect(clicks).toBeGreaterThan(seconds / 4);
    await context.close();
  },
  (seconds + 90) * 1_000,
);
