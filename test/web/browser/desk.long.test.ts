import { randomBytes } from 'node:crypto';
import { describe, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { encodeSecretKey } from '../../../contract/verification/strkey.js';
import { offRamp } from '../../../scripts/simulated-wallets/off-ramp.js';
import { walletOf } from '../../../scripts/simulated-wallets/wallet.js';
import french from '../../../web/locales/fr.json' with { type: 'json' };
import { axeFindings, sidewaysFindings } from '../../fixtures/web/findings.js';
import { isFocused, tabbingFindings, tabTo } from '../../fixtures/web/keyboard.js';
import { texts as english } from '../../fixtures/web/texts.js';
import { itInBrowser, shown, webArtifacts, webBrowser } from '../../fixtures/web/web-browser.js';
import { webService } from '../../fixtures/web/web-service.js';
import { testAdminKey } from '../../support/app.js';
import { waitFor } from '../../support/wait-for.js';

const service = webService();
const browser = webBrowser();
const patient = { timeout: 60_000 };
const looks = [360, 1440].flatMap((width) => (['dark', 'light'] as const).map((theme) => ({ width, theme })));

/** Sells through a simulated anchor, until it has paid out. */
async function settledOfframp(seed: Buffer): Promise<string> {
  let hash = '';
  await offRamp({
    serviceUrl: service.it.app.url,
    corridor: 'usdc-ngn',
    anchorId: 'harbour',
    wallet: walletOf(seed),
    sellAmount: '250',
    ending: 'complete',
    say: () => undefined,
    onState({ intentHash }) {
      hash = intentHash;
    },
    signal: AbortSignal.timeout(120_000),
  });
  return hash;
}

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
      const seed = randomBytes(32);
      const intentHash = await settledOfframp(seed);
      const reason = `Nothing arrived (${lang}).`;
      const wrong: string[] = [];
      const { page, context, complaints } = await browser.reader({ locale: lang });
      const look = async (step: string) => wrong.push(...(await findingsOn(page, `dispute-${step}-${lang}`)));
      const button = (name: string) => page.getByRole('button', { name, exact: true });
      const press = async (name: string) => {
        await tabTo(page, button(name));
        await page.keyboard.press('Enter');
      };

      await page.goto(`${url}/dispute?intent=${intentHash}`);
      await shown(page);
      await tabTo(page, page.getByLabel(dispute.reason));
      await page.keyboard.type(reason);
      await tabTo(page, page.getByRole('radio', { name: dispute.way_wallet }));
      await page.keyboard.press('ArrowDown');
      await tabTo(page, page.getByLabel(dispute.key, { exact: true }));
      await page.keyboard.type(encodeSecretKey(seed));
      await page.keyboard.press('Enter');
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
