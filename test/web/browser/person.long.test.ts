import { describe, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { RatesAnswer } from '../../../contract/schemas/rates.js';
import { signer, storedIntent } from '../../fixtures/disputes/dispute-values.js';
import { insertIntents } from '../../fixtures/intents/stored-intents.js';
import { axeFindings, sidewaysFindings, tabbingFindings } from '../../fixtures/web/findings.js';
import { itInBrowser, shown, texts, webArtifacts, webBrowser } from '../../fixtures/web/web-browser.js';
import { webService } from '../../fixtures/web/web-service.js';
import { testAdminKey } from '../../support/app.js';
import { originsOf } from '../../support/watched-page.js';
import { installWallet, standInName } from './stand-in-wallet.js';

const service = webService();
const browser = webBrowser();
const patient = { timeout: 60_000 };
const mobileMoney = '/api/rates/usdc-ngn?deliveryMethod=mobile_money';

/** Somebody who has never heard of an anchor, on a telephone and at a desk. */
describe.each([390, 1280])('a person with a window %s wide', (width) => {
  const seller = signer(`a seller with ${width}`);
  const intent = storedIntent(seller.account, 'settled');
  const reason = `Nothing arrived in my account (${width}).`;

  /** Does a task, and holds at its end that the page complains of nothing, asks nobody else and hides nothing. */
  async function task(name: string, act: (page: Page) => Promise<void>) {
    const { url } = service.it.app;
    const reader = await browser.reader({ viewport: { width, height: 844 } });
    await act(reader.page);
    await reader.page.screenshot({ path: `${webArtifacts}person-${width}-${name}.png`, fullPage: true });
    expect(reader.complaints).toEqual([]);
    const { page } = reader;
    expect([...(await sidewaysFindings(page)), ...(await axeFindings(page))]).toEqual([]);
    expect(originsOf(reader)).toEqual([url]);
    await reader.context.close();
  }
  /** Holds that Tab reaches everything, on a page that does not change by itself. */
  async function tabThrough(page: Page) {
    // The first round begins at the current focus and so leaves out what is above; the second begins at the top.
    await tabbingFindings(page);
    expect(await tabbingFindings(page)).toEqual([]);
  }
  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
  const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true });

  itInBrowser('finds who pays most into Nigeria by mobile money', () =>
    task('rates', async (page) => {
      const { url } = service.it.app;
      await page.goto(url);
      await button(page, new RegExp(`^${texts.rates.place}`)).click();
      await page.getByLabel(texts.rates.placeSearch).fill('nigeria');
      await page.keyboard.press('Enter');
      await page.getByText(texts.rates.filter, { exact: true }).click();
      await page.getByLabel(texts.rates.method).selectOption('mobile_money');
      await page.waitForURL(/\/rates\/usdc-ngn\?deliveryMethod=mobile_money/);
      await shown(page);
      const { best } = (await (await fetch(`${url}${mobileMoney}`)).json()) as RatesAnswer;
      const first = page.getByRole('region', { name: texts.rates.offers }).getByRole('listitem').first();
      await first.locator(`a[href="/anchors/${best?.anchorId}"]`).waitFor();
      await first
        .getByText(/^NGN\s[\d,]+\.\d\d$/)
        .first()
        .waitFor();
      await first.locator('summary').first().click();
      await page.getByRole('link', { name: texts.rates.nextWalletLink }).waitFor();
    }),
  );

  itInBrowser('says why the first is first, by words that the page explains', () =>
    task('why', async (page) => {
      await page.goto(`${service.it.app.url}/rates/usdc-ngn?deliveryMethod=mobile_money`);
      await shown(page);
      const first = page.getByRole('region', { name: texts.rates.offers }).getByRole('listitem').first();
      await first
        .getByText(/(usually goes wrong|can be ranked)\.?/)
        .first()
        .waitFor();
      await first.getByRole('button', { name: texts.rates.worth, exact: true }).click();
      expect(await page.getByText(texts.glossary.worth, { exact: true }).first().isVisible()).toBe(true);
      await page.keyboard.press('Escape');
      await first.getByText(texts.rates.details, { exact: true }).click();
      await first.getByText(texts.rates.ledgerRisk).waitFor();
    }),
  );

  itInBrowser('finds out whether an anchor can be trusted, and where that is proven', () =>
    task('trust', async (page) => {
      await page.goto(`${service.it.app.url}/rates/usdc-ngn`);
      await shown(page);
      await link(page, 'Harbour').first().click();
      await page.getByRole('heading', { level: 1, name: 'Harbour' }).waitFor();
      await page
        .getByText(/^Paid \d+ of \d+, usually in /)
        .first()
        .waitFor(patient);
      await link(page, texts.anchors.toProof).click();
      await button(page, texts.proof.verifyNow).click();
      await page.getByText(/^Verified: /).waitFor(patient);
    }),
  );

  itInBrowser('follows an off-ramp that went wrong, and files a dispute with a wallet', () =>
    task('dispute', async (page) => {
      await insertIntents(service.it.app.connection, intent);
      await installWallet(page, seller);
      await page.goto(service.it.app.url);
      await link(page, texts.common.navOfframp).click();
      await page.getByLabel(texts.offramp.hash, { exact: true }).fill(intent._id);
      await page.keyboard.press('Enter');
      await page.getByText(texts.offramp.ended_completed, { exact: true }).first().waitFor();
      await link(page, texts.offramp.toDispute).click();
      await page.getByLabel(texts.dispute.reason).fill(reason);
      await button(page, texts.dispute.walletSign.replace('{wallet}', standInName)).click();
      await button(page, texts.dispute.send).click();
      await page.getByText(texts.dispute.filed, { exact: true }).waitFor(patient);
      await tabThrough(page);
    }),
  );

  itInBrowser('decides it at the desk, and sees it decided where it is followed', () =>
    task('desk', async (page) => {
      await page.goto(service.it.app.url);
      await link(page, texts.common.navDesk).click();
      await page.getByLabel(texts.desk.key, { exact: true }).fill(testAdminKey);
      await button(page, texts.desk.openNow).click();
      await button(page, reason).click();
      await page.getByLabel(texts.desk.verdict_accept, { exact: true }).check();
      await page.getByLabel(texts.desk.note).fill('The bank confirms it.');
      await button(page, texts.desk.continue).click();
      await button(page, texts.desk.confirmed_accept).click();
      await page.getByText(texts.desk.done_accepted, { exact: true }).first().waitFor(patient);
      await tabThrough(page);
      const stored = await page.evaluate('JSON.stringify([localStorage, sessionStorage, document.cookie])');
      expect(stored).not.toContain(testAdminKey);
      await page.goto(`${service.it.app.url}/offramp/${intent._id}`);
      await page.getByText(texts.offramp.dispute_accepted, { exact: true }).first().waitFor(patient);
      expect(await page.getByText(texts.offramp.ended_completed, { exact: true }).count()).toBe(0);
    }),
  );
});
