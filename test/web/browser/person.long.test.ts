import { randomBytes } from 'node:crypto';
import { describe, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { encodeSecretKey } from '../../../contract/verification/strkey.js';
import { offRamp } from '../../../scripts/simulated-wallets/off-ramp.js';
import { walletOf } from '../../../scripts/simulated-wallets/wallet.js';
import { texts } from '../../fixtures/web/texts.js';
import { itInBrowser, shown, webArtifacts, webBrowser } from '../../fixtures/web/web-browser.js';
import { webService } from '../../fixtures/web/web-service.js';
import { testAdminKey } from '../../support/app.js';
import { originsOf } from '../../support/watched-page.js';

const service = webService();
const browser = webBrowser();
const patient = { timeout: 60_000 };

function picture(page: Page, name: string) {
  return page.screenshot({ path: `${webArtifacts}person-${name}.png`, fullPage: true });
}

/** The person's wallet, a separate program; `goOn` lets it continue when the person wants to see the result. */
function wallet(seed: Buffer, anchorId: string) {
  let goOn = () => {};
  const seen = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let isRegistered: (intentHash: string) => void = () => {};
  const registered = new Promise<string>((resolve) => {
    isRegistered = resolve;
  });
  const ended = offRamp({
    serviceUrl: service.it.app.url,
    corridor: 'usdc-ngn',
    anchorId,
    wallet: walletOf(seed),
    sellAmount: '250',
    ending: 'complete',
    say: () => undefined,
    async onState({ step, intentHash }) {
      if (step !== 'registered') return;
      isRegistered(intentHash);
      await seen;
    },
    signal: AbortSignal.timeout(120_000),
  });
  return { registered, ended, goOn };
}

describe('a person', () => {
  itInBrowser(
    'compares, sells, watches it settle, verifies a score, sees a changed one fail, disputes, and as admin decides',
    async () => {
      const { url } = service.it.app;
      const reader = await browser.reader();
      const { page, context, complaints } = reader;

      // The person compares another amount, the preferred order, and the record of the chosen anchor.
      await page.goto(url);
      await page.getByLabel(texts.rates.amountToSend).fill('250');
      await page.waitForURL(/[?&]amount=250/);
      await page.getByRole('radio', { name: texts.rates.sortScore }).check();
      await page.waitForURL(/[?&]sort=score/);
      const board = page.getByRole('table', { name: texts.rates.tableCaption });
      const harbour = board.getByRole('link', { name: 'Harbour' });
      await harbour.waitFor(patient);
      await picture(page, '1-compares');
      await harbour.click();
      await page.getByRole('heading', { level: 1, name: /Harbour/ }).waitFor();

      // The person sells with a wallet, and watches each state arrive on the open page.
      const seed = randomBytes(32);
      const { registered, ended, goOn } = wallet(seed, 'harbour');
      const intentHash = await registered;
      await page.getByRole('link', { name: texts.common.navOfframp, exact: true }).click();
      await page.getByLabel(texts.offramp.hash).fill(intentHash);
      await page.keyboard.press('Enter');
      await page.waitForURL(`${url}/offramp/${intentHash}`);
      await page.getByText(texts.offramp.stage_registered, { exact: true }).first().waitFor();
      expect(await page.getByText(texts.offramp.ended_completed, { exact: true }).count()).toBe(0);
      goOn();
      await page.getByText(texts.offramp.ended_completed, { exact: true }).first().waitFor(patient);
      await ended;
      await picture(page, '2-settled');

      // The person verifies the anchor's score, and sees that a changed byte is noticed.
      await page.goto(`${url}/proof/harbour?corridor=usdc-ngn`);
      await page.getByRole('button', { name: texts.proof.verifyNow }).click();
      await page.getByText(/^Verified: harbour has the score \d/).waitFor(patient);
      await page.getByLabel(texts.proof.change).selectOption('score');
      const refuted = page.getByRole('alert').filter({ hasText: /\d/ });
      await refuted.waitFor(patient);
      await picture(page, '3-refuted');
      await page.getByLabel(texts.proof.change).selectOption('');
      await page.getByText(/^Verified: harbour has the score \d/).waitFor(patient);

      // The person disputes the outcome, signed in the page with the key of the selling account.
      await page.goto(`${url}/offramp/${intentHash}`);
      await page.getByRole('link', { name: texts.offramp.toDispute }).click();
      await page.getByLabel(texts.dispute.reason).fill('Only half of it arrived.');
      await page.getByLabel(texts.dispute.way_key).check();
      await page.getByLabel(texts.dispute.key, { exact: true }).fill(encodeSecretKey(seed));
      await page.getByRole('button', { name: texts.dispute.signNow }).click();
      await page.getByRole('button', { name: texts.dispute.send }).click();
      await page.getByText(texts.dispute.filed, { exact: true }).waitFor(patient);
      await picture(page, '4-disputed');

      // The operator decides the dispute at the desk.
      await page.getByRole('link', { name: texts.common.navDesk }).click();
      await page.getByLabel(texts.desk.key, { exact: true }).fill(testAdminKey);
      await page.getByRole('button', { name: texts.desk.openNow }).click();
      await page.getByRole('button', { name: 'Only half of it arrived.' }).click();
      await page.getByLabel(texts.desk.verdict_accept, { exact: true }).check();
      await page.getByLabel(texts.desk.note).fill('The bank confirms it.');
      await page.getByRole('button', { name: texts.desk.continue }).click();
      await page.getByRole('button', { name: texts.desk.confirmed_accept }).click();
      await page.getByText(texts.desk.done_accepted, { exact: true }).first().waitFor(patient);
      await picture(page, '5-decided');
      const stored = await page.evaluate('JSON.stringify([localStorage, sessionStorage, document.cookie])');
      expect(stored).not.toContain(testAdminKey);
      expect(stored).not.toContain(encodeSecretKey(seed));

      // The seller sees the decision.
      await page.goto(`${url}/offramp/${intentHash}`);
      await shown(page);
      await page.getByText(texts.offramp.dispute_accepted, { exact: true }).first().waitFor(patient);
      await page.getByText(texts.offramp.ended_contested, { exact: true }).first().waitFor();
      expect(await page.getByText(texts.offramp.ended_completed, { exact: true }).count()).toBe(0);
      expect(complaints).toEqual([]);
      expect(originsOf(reader)).toEqual([url]);
      await context.close();
    },
    240_000,
  );
});
