import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect } from '@jest/globals';
import { encodeSecretKey } from '../../../contract/verification/strkey.js';
import { isFocused, tabbingFindings, tabTo } from '../../fixtures/web/keyboard.js';
import { type PageVisit, pageVisits } from '../../fixtures/web/page-visits.js';
import { texts } from '../../fixtures/web/texts.js';
import { itInBrowser, shown, webBrowser } from '../../fixtures/web/web-browser.js';
import { webService } from '../../fixtures/web/web-service.js';
import { testAdminKey } from '../../support/app.js';
import { waitFor } from '../../support/wait-for.js';

const service = webService();
const browser = webBrowser();
let visits: PageVisit[];

beforeAll(async () => {
  visits = await pageVisits(service.it);
});

async function open(address: string) {
  const reader = await browser.reader();
  await reader.page.goto(`${service.it.app.url}${address}`);
  await shown(reader.page);
  return reader;
}

describe('without a mouse', () => {
  itInBrowser(
    'every control of every page is reached by Tab, in view and marked, and nothing holds the focus',
    async () => {
      const wrong: string[] = [];
      for (const { name, address } of visits) {
        const { page, context } = await open(address);
        wrong.push(...(await tabbingFindings(page)).map((finding) => `${name}: ${finding}`));
        await context.close();
      }
      expect(wrong).toEqual([]);
    },
    200_000,
  );

  itInBrowser('the first stop of a page leads past its header to what it shows', async () => {
    const { page, context } = await open('/anchors');
    await page.keyboard.press('Tab');
    const skip = page.getByRole('link', { name: 'Skip to the content' });
    expect(await isFocused(skip)).toBe(true);
    expect(await skip.boundingBox()).toMatchObject({ y: expect.closeTo(8, 0) });
    await page.keyboard.press('Enter');
    expect(await isFocused(page.getByRole('main'))).toBe(true);
    await context.close();
  });

  itInBrowser('a new page is read from its heading, forwards and back', async () => {
    const { page, context } = await open('/');
    await tabTo(page, page.getByRole('link', { name: 'Proof', exact: true }));
    await page.keyboard.press('Enter');
    const proof = page.getByRole('heading', { level: 1, name: 'Proof of scores' });
    await waitFor(async () => expect(await isFocused(proof)).toBe(true));
    expect(await page.title()).toBe('Proof of scores · Fairlead');
    await page.goBack();
    const rates = page.getByRole('heading', { level: 1, name: 'Compare off-ramp rates' });
    await waitFor(async () => expect(await isFocused(rates)).toBe(true));
    await context.close();
  });

  itInBrowser('rates are asked for, sorted and unfolded', async () => {
    const { page, context } = await open('/');
    const corridor = page.getByLabel(texts.rates.corridor);
    await tabTo(page, corridor);
    const before = await corridor.inputValue();
    await page.keyboard.press(before === 'usdc-ngn' ? 'ArrowUp' : 'ArrowDown');
    await page.waitForURL(/\/rates\/usdc-/);
    expect(await corridor.inputValue()).not.toBe(before);
    expect(await isFocused(corridor)).toBe(true);
    await tabTo(page, page.getByLabel(texts.rates.amountToSend));
    await page.keyboard.type('250');
    await page.waitForURL(/[?&]amount=250/);
    await tabTo(page, page.getByRole('radio', { name: texts.rates.sortBest }));
    await page.keyboard.press('ArrowRight');
    await page.waitForURL(/[?&]sort=receive/);
    await tabTo(page, page.getByRole('button', { name: /^Details of the quote of/ }).first());
    await page.keyboard.press('Enter');
    await page.waitForURL(/[?&]open=/);
    await context.close();
  });

  itInBrowser('an anchor is opened, and an off-ramp is followed', async () => {
    const { page, context } = await open('/anchors');
    await tabTo(page, page.getByRole('main').getByRole('link', { name: 'Harbour' }).first());
    await page.keyboard.press('Enter');
    const anchor = page.getByRole('heading', { level: 1, name: 'Harbour' });
    await waitFor(async () => expect(await isFocused(anchor)).toBe(true));
    const { address } = visits.find(({ name }) => name === 'offramp-settled') ?? { address: '' };
    await page.goto(`${service.it.app.url}/offramp`);
    await tabTo(page, page.getByLabel(texts.offramp.hash));
    await page.keyboard.type(address.split('/').at(-1) ?? '');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${address}`);
    await page.getByText(texts.offramp.terms).waitFor();
    await context.close();
  });

  itInBrowser('a score is verified, and refuted once a byte is changed', async () => {
    const { page, context } = await open('/proof');
    await tabTo(page, page.getByRole('button', { name: texts.proof.verifyNow }));
    await page.keyboard.press('Enter');
    await page.getByText(/^Verified: /).waitFor();
    await tabTo(page, page.getByLabel(texts.proof.change));
    await page.keyboard.press('ArrowDown');
    await page.getByRole('alert').filter({ hasText: /\d/ }).waitFor();
    await context.close();
  });

  itInBrowser('a dispute is signed, and the desk is opened and left', async () => {
    const { address } = visits.find(({ name }) => name === 'dispute-begun') ?? { address: '' };
    const { page, context } = await open(address);
    await tabTo(page, page.getByLabel(texts.dispute.reason));
    await page.keyboard.type('Nothing arrived.');
    await tabTo(page, page.getByRole('radio', { name: texts.dispute.way_wallet }));
    await page.keyboard.press('ArrowDown');
    await tabTo(page, page.getByLabel(texts.dispute.key, { exact: true }));
    await page.keyboard.type(encodeSecretKey(randomBytes(32)));
    await page.keyboard.press('Enter');
    await page.getByText(/^That is the key of G/).waitFor();
    await page.goto(`${service.it.app.url}/desk`);
    await tabTo(page, page.getByLabel(texts.desk.key, { exact: true }));
    await page.keyboard.type(testAdminKey);
    await page.keyboard.press('Enter');
    await page.getByText(texts.desk.noneOpen).waitFor();
    await tabTo(page, page.getByRole('button', { name: texts.desk.forget }));
    await page.keyboard.press('Enter');
    await page.getByLabel(texts.desk.key, { exact: true }).waitFor();
    await context.close();
  });
});
