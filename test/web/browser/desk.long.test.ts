import { describe, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import french from '../../../web/locales/fr.json' with { type: 'json' };
import { signer, storedIntent } from '../../fixtures/disputes/dispute-values.js';
import { insertIntents } from '../../fixtures/intents/stored-intents.js';
import { axeFindings, sidewaysFindings } from '../../fixtures/web/findings.js';
import { isFocused, tabbingFindings, tabTo } from '../../fixtures/web/keyboard.js';
import { installWallet, standInName } from '../../fixtures/web/stand-in-wallet.js';
import { texts as english } from '../../fixtures/web/texts.js';
import { itInBrowser, shown, webArtifacts, webBrowser } from '../../fixtures/web/web-browser.js';
import { webService } from '../../fixtures/web/web-service.js';
import { testAdminKey } from '../../support/app.js';
import { waitFor } from '../../support/wait-for.js';

const service = webService();
const browser = webBrowser();
const patient = { timeout: 60_000 };
const looks = [
  { width: 390, theme: 'dark' },
  { width: 1280, theme: 'light' },
] as const;

/** What axe, a telephone's width and the Tab key find on the current page; the focus is at its top afterwards. */
async function findingsOn(page: Page, name: string): Promise<string[]> {
  const found: string[] = [];
  for (const { width, theme } of looks) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: theme });
    await page.screenshot({ path: `${webArtifacts}${name}-${width}-${theme}.png`, fullPage: true });
    const findings = [...(await sidewaysFindings(page)), ...(await axeFindings(page))];
    found.push(...findings.map((finding) => `${width} ${theme}: ${finding}`));
  }
  // The first round begins at the current focus and so leaves out what is above; the second begins at the top.
  await tabbingFindings(page);
  found.push(...(await tabbingFindings(page)));
  return found.map((finding) => `${name}: ${finding}`);
}

describe('without a mouse', () => {
  itInBrowser.each([
    { lang: 'en', texts: english },
    { lang: 'fr', texts: french },
  ])(
    'a dispute is filed and decided: no step has what axe finds serious, scrolls sideways or hides from Tab, in $lang',
    async ({ lang, texts }) => {
      const { url } = service.it.app;
      const { dispute, desk } = texts;
      const seller = signer(`a seller who speaks ${lang}`);
      const intent = storedIntent(seller.account, 'settled');
      await insertIntents(service.it.app.connection, intent);
      const reason = `Nothing arrived (${lang}).`;
      const wrong: string[] = [];
      const { page, context, complaints } = await browser.reader({ locale: lang });
      const look = async (step: string) => wrong.push(...(await findingsOn(page, `dispute-${step}-${lang}`)));
      const button = (name: string) => page.getByRole('button', { name, exact: true });
      const press = async (name: string) => {
        await tabTo(page, button(name));
        await page.keyboard.press('Enter');
      };

      await installWallet(page, seller);
      await page.goto(`${url}/dispute?intent=${intent._id}`);
      await shown(page);
      await tabTo(page, page.getByLabel(dispute.reason));
      await page.keyboard.type(reason);
      const signing = dispute.walletSign.replace('{wallet}', standInName);
      await button(signing).waitFor(patient);
      await press(signing);
      await button(dispute.send).waitFor();
      await look('signed');
      await press(dispute.send);
      await page.getByText(dispute.filed, { exact: true }).waitFor(patient);
      await look('filed');

      await page.goto(`${url}/desk`);
      await tabTo(page, page.getByLabel(desk.key, { exact: true }));
      await page.keyboard.type(testAdminKey);
      await page.keyboard.press('Enter');
      await button(reason).waitFor(patient);
      const heading = page.getByRole('heading', { level: 1, name: desk.title });
      expect(await isFocused(heading)).toBe(true);
      await look('listed');

      await press(reason);
      const accept = page.getByLabel(desk.verdict_accept, { exact: true });
      await accept.waitFor(patient);
      await shown(page);
      await waitFor(async () => expect(await isFocused(heading)).toBe(true));
      await press(desk.continue);
      await page.getByText(desk.lack_action, { exact: true }).waitFor();
      await look('opened');

      await tabTo(page, accept);
      await page.keyboard.press('Space');
      await tabTo(page, page.getByLabel(desk.note));
      await page.keyboard.type('The bank confirms it.');
      await press(desk.continue);
      await waitFor(async () => expect(await isFocused(page.getByText(desk.confirm_accept))).toBe(true));
      await look('confirmed');

      await press(desk.change);
      expect(await accept.isChecked()).toBe(true);
      expect(await page.getByLabel(desk.note).inputValue()).toBe('The bank confirms it.');
      await press(desk.continue);
      await press(desk.confirmed_accept);
      await page.getByText(desk.decided_accepted, { exact: true }).waitFor(patient);
      await look('decided');

      await press(desk.back);
      await page.getByText(desk.noneOpen).waitFor(patient);
      await press(desk.forget);
      await waitFor(async () =>
        expect(await isFocused(page.getByLabel(desk.key, { exact: true }))).toBe(true),
      );
      expect(complaints).toEqual([]);
      expect(wrong).toEqual([]);
      await context.close();
    },
    240_000,
  );
});
