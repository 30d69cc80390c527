import { afterAll, describe, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { itInBrowser, shown, texts, webArtifacts, webBrowser } from '../../fixtures/web/web-browser.js';
import { webService } from '../../fixtures/web/web-service.js';
import { type PrivateMongo, privateMongo } from '../../support/database.js';
import { waitFor } from '../../support/wait-for.js';

let mongo: PrivateMongo | undefined;
afterAll(() => mongo?.stop());
const service = webService({
  async uri() {
    mongo = await privateMongo();
    return mongo.uri;
  },
});
const browser = webBrowser();
const patient = { timeout: 45_000 };

async function open(address: string) {
  const reader = await browser.reader();
  await reader.page.goto(`${service.it.app.url}${address}`);
  return reader;
}

function picture(page: Page, name: string) {
  return page.screenshot({ path: `${webArtifacts}state-${name}.png` });
}

/** The number of seconds in `Asking again in 12 seconds.` */
async function secondsShown(page: Page): Promise<number> {
  const text = await page
    .getByText(/^Asking again in \d+ seconds?\./)
    .first()
    .textContent(patient);
  return Number(/\d+/.exec(text ?? '')?.[0]);
}

describe('the page says what is the matter, and goes on by itself', () => {
  itInBrowser(
    'when requests of others at its address have used up the limit: for how many seconds, counted down',
    async () => {
      const { url } = service.it.app;
      for (let n = 0, status = 200; status !== 429; n += 1) {
        expect(n).toBeLessThan(100);
        ({ status } = await fetch(`${url}/api/reputation/leaderboard`));
      }
      const { page, context } = await open('/anchors');
      await page.getByText(texts.common.problem_limited).waitFor();
      const first = await secondsShown(page);
      expect(first).toBeGreaterThan(0);
      expect(await page.getByRole('button', { name: texts.common.askNow }).isDisabled()).toBe(true);
      await waitFor(async () => expect(await secondsShown(page)).toBeLessThan(first));
      await picture(page, 'limited');
      await page.getByText(texts.common.problem_limited).waitFor({ state: 'detached', timeout: 75_000 });
      await page.getByRole('link', { name: 'Harbour' }).first().waitFor();
      await context.close();
    },
    120_000,
  );

  itInBrowser(
    'when there is no connection: that the board is not live, with its last quotes; then it is live again',
    async () => {
      const { page, context } = await open('/rates/usdc-ngn');
      const board = page.getByRole('region', { name: texts.rates.offers });
      const live = page.locator('[data-liveness="live"]');
      await live.waitFor(patient);
      await context.setOffline(true);
      await page.locator('[data-liveness="offline"]').getByText(texts.rates.live_offline).waitFor(patient);
      expect(await board.isVisible()).toBe(true);
      await picture(page, 'offline');
      await context.setOffline(false);
      await live.waitFor(patient);
      expect(await board.isVisible()).toBe(true);
      await context.close();
    },
    120_000,
  );

  itInBrowser('when a page is opened without a connection: it is shown once there is one', async () => {
    const { page, context } = await open('/anchors');
    await shown(page);
    await context.setOffline(true);
    await page.getByRole('link', { name: texts.common.navProof, exact: true }).click();
    await page.getByRole('heading', { level: 1, name: texts.common.problem_offline }).waitFor();
    await picture(page, 'opened-offline');
    await context.setOffline(false);
    await page.getByRole('heading', { level: 1, name: texts.proof.title }).waitFor();
    await context.close();
  });

  itInBrowser('when an update took the code of a page away: the page is loaded again', async () => {
    const { page, context } = await open('/anchors');
    await shown(page);
    let isOld = true;
    page.once('load', () => {
      isOld = false;
    });
    await page.route(/\/assets\/proof-page-.*\.js/, (route) =>
      isOld ? route.fulfill({ status: 404 }) : route.continue(),
    );
    await page.getByRole('link', { name: texts.common.navProof, exact: true }).click();
    await page.getByRole('heading', { level: 1, name: texts.proof.title }).waitFor();
    await context.close();
  });

  itInBrowser('when the code that verifies did not arrive: that nothing can be verified', async () => {
    const { page, context } = await browser.reader();
    const ofChecks = /\/assets\/check-.*\.js/;
    await page.route(ofChecks, (route) => route.fulfill({ status: 404 }));
    await page.goto(`${service.it.app.url}/proof?check=now`);
    await page.getByText(texts.proof.notLoaded).waitFor();
    await shown(page);
    expect(await page.getByText(/^Checking: /).count()).toBe(0);
    await picture(page, 'checks-missing');
    await page.unroute(ofChecks);
    await page.getByRole('button', { name: texts.common.reload }).click();
    await page.getByText(/^Verified: /).waitFor(patient);
    await context.close();
  });

  itInBrowser(
    'when the anchors are gone: which of them, and why; then their quotes',
    async () => {
      const { anchors } = service.it;
      for (const anchor of anchors.anchors)
        anchor.setProfile({ outage: { everySeconds: 60, forSeconds: 60 } });
      const { page, context } = await open('/rates/usdc-ngn?amount=321.5');
      // A quote from a published fee and a reference rate needs no call to the anchor.
      const missing = page.getByRole('region', { name: /^\d anchors make no offer$/ });
      await missing.waitFor(patient);
      expect(await missing.getByRole('listitem').count()).toBeGreaterThan(2);
      await picture(page, 'anchors-gone');
      for (const anchor of anchors.anchors) anchor.setProfile({ outage: null });
      await missing.waitFor({ state: 'detached', timeout: 90_000 });
      await page
        .getByRole('region', { name: texts.rates.offers })
        .getByRole('link', { name: 'Harbour' })
        .waitFor();
      await context.close();
    },
    150_000,
  );

  itInBrowser(
    'when the database does not answer: that the service cannot; then the page',
    async () => {
      const intent = await service.it.app.connection
        .collection<{ _id: string }>('intents')
        .findOne({ status: 'settled' });
      mongo?.freeze();
      const { page, context } = await open(`/offramp/${intent?._id}`);
      await page.getByText(texts.common.problem_unavailable).waitFor(patient);
      expect(await secondsShown(page)).toBeGreaterThan(0);
      await picture(page, 'database-gone');
      mongo?.thaw();
      await page.getByText(texts.common.problem_unavailable).waitFor({ state: 'detached', ...patient });
      await page.getByText(texts.offramp.anchor, { exact: true }).first().waitFor();
      await context.close();
    },
    120_000,
  );
});
