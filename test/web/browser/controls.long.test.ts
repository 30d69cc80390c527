import { describe, expect } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { encodeSecretKey } from '../../../contract/verification/strkey.js';
import { disputeOf, falseSignature, signer, storedIntent } from '../../fixtures/disputes/dispute-values.js';
import { insertIntents } from '../../fixtures/intents/stored-intents.js';
import { isFocused } from '../../fixtures/web/keyboard.js';
import { texts } from '../../fixtures/web/texts.js';
import { itInBrowser, shown, webBrowser } from '../../fixtures/web/web-browser.js';
import { webService } from '../../fixtures/web/web-service.js';
import { testAdminKey } from '../../support/app.js';
import { waitFor } from '../../support/wait-for.js';

const service = webService();
const browser = webBrowser();
const seller = signer('a reader who disputes');

/** A settled off-ramp of the seller. */
async function settledIntent() {
  const intent = storedIntent(seller.account, 'settled');
  await insertIntents(service.it.app.connection, intent);
  return intent;
}

async function open(address: string) {
  const reader = await browser.reader();
  await reader.page.goto(`${service.it.app.url}${address}`);
  await shown(reader.page);
  return reader;
}

const focused = (place: Locator) => waitFor(async () => expect(await isFocused(place)).toBe(true));
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
/** The focused message with this title. */
const message = (page: Page, title: string) => page.locator(':focus').getByText(title, { exact: true });

/** Activates a control by the keyboard, since a click would move the focus by itself. */
async function press(control: Locator): Promise<void> {
  await control.focus();
  await control.press('Enter');
}

describe('the focus is not lost', () => {
  itInBrowser('when a hash is followed: it goes to the heading of the off-ramp', async () => {
    const { _id } = await settledIntent();
    const { page, context } = await open('/offramp');
    const hash = page.getByLabel(texts.offramp.hash);
    await hash.fill(_id);
    await hash.press('Enter');
    await page.waitForURL(`**/offramp/${_id}`);
    await focused(page.getByRole('heading', { level: 1, name: _id.slice(0, 8) }));
    await context.close();
  });

  itInBrowser('when an off-ramp is opened to be disputed: it stays in the form', async () => {
    const { _id } = await settledIntent();
    const { page, context } = await open('/dispute');
    const hash = page.getByLabel(texts.offramp.hash);
    await hash.fill(_id.toUpperCase());
    await hash.press('Enter');
    await page.getByLabel(texts.dispute.reason).waitFor();
    expect(await hash.inputValue()).toBe(_id);
    expect(await isFocused(hash)).toBe(true);
    await context.close();
  });

  itInBrowser('when a signature is discarded, when a dispute is refused and when it is filed', async () => {
    const { _id } = await settledIntent();
    const { page, context } = await open(`/dispute?intent=${_id}`);
    await page.getByLabel(texts.dispute.reason).fill('Nothing arrived.');
    await page.getByLabel(texts.dispute.way_pasted).check();
    await page.getByLabel(texts.dispute.pasted, { exact: true }).fill(falseSignature);
    await press(button(page, texts.dispute.take));
    await focused(page.locator('pre', { hasText: falseSignature }));
    await press(button(page, texts.dispute.send));
    await message(page, texts.dispute.refused).waitFor();
    await press(button(page, texts.dispute.discard));
    await focused(page.getByLabel(texts.dispute.way_pasted));
    await page.getByLabel(texts.dispute.way_key).check();
    await page.getByLabel(texts.dispute.key, { exact: true }).fill(encodeSecretKey(seller.secretKey));
    await press(button(page, texts.dispute.signNow));
    await press(button(page, texts.dispute.send));
    await message(page, texts.dispute.filed).waitFor();
    await context.close();
  });

  itInBrowser('when a verdict is taken back to be changed, and when it is given', async () => {
    const intent = await settledIntent();
    const body = disputeOf(intent, seller);
    const filed = await fetch(`${service.it.app.url}/api/reputation/dispute`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(filed.status).toBe(201);
    const { page, context } = await open('/desk');
    await page.getByLabel(texts.desk.key, { exact: true }).fill(testAdminKey);
    await press(button(page, texts.desk.openNow));
    await press(button(page, body.reason));
    const reject = page.getByLabel(texts.desk.verdict_reject, { exact: true });
    await reject.check();
    await press(button(page, texts.desk.continue));
    await focused(page.getByText(texts.desk.confirm_reject, { exact: true }));
    await press(button(page, texts.desk.change));
    await focused(reject);
    await press(button(page, texts.desk.continue));
    await press(button(page, texts.desk.confirmed_reject));
    await message(page, texts.desk.done_rejected).waitFor();
    await context.close();
  });
});

describe('the focus stays near a button that is removed', () => {
  itInBrowser('when a remembered off-ramp is forgotten: on the list, then on the heading', async () => {
    const { page, context } = await open('/offramp');
    const hashes = ['a', 'b'].map((digit) => digit.repeat(64));
    await page.evaluate(`localStorage.setItem('fairlead-offramps', '${hashes.join(' ')}')`);
    await page.reload();
    await press(button(page, texts.offramp.forgetName.replace('{hash}', 'aaaaaaaa')));
    await focused(page.getByRole('list').filter({ has: page.locator(`a[href="/offramp/${hashes[1]}"]`) }));
    await press(button(page, texts.offramp.forgetName.replace('{hash}', 'bbbbbbbb')));
    await focused(page.getByRole('heading', { level: 1 }));
    await context.close();
  });

  itInBrowser('when the log of batches is turned to older ones', async () => {
    const batches = `${service.it.app.url}/api/publisher/batches`;
    const { items } = (await (await fetch(`${batches}?limit=1`)).json()) as { items: unknown[] };
    const { page, context } = await open('/proof');
    // As many as make a second page, of which all but the first are the same.
    await page.route('**/api/publisher/batches?*', (route) =>
      route.fulfill({ json: { items: Array.from({ length: 30 }, () => items[0]), nextCursor: null } }),
    );
    await page.reload();
    await press(button(page, texts.proof.older));
    await waitFor(async () => {
      const place = page.locator(':focus');
      expect(await place.getByRole('button', { name: texts.proof.older }).count()).toBe(1);
    });
    await context.close();
  });

  itInBrowser('and a hash that is wrong is gone once the reader has left its address', async () => {
    const { page, context } = await open('/offramp/abc');
    const hash = page.getByLabel(texts.offramp.hash);
    expect(await hash.inputValue()).toBe('abc');
    await page.locator('header a[href="/offramp"]').click();
    await waitFor(async () => expect(await hash.inputValue()).toBe(''));
    await context.close();
  });
});

describe('a control', () => {
  itInBrowser('says what the page does: the theme that the address asks for is the one chosen', async () => {
    const { page, context } = await open('/anchors?theme=dark');
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    expect(await page.getByLabel(texts.common.theme).inputValue()).toBe('dark');
    await context.close();
  });

  itInBrowser('has its error announced, and not its hint, which may count with every key', async () => {
    const { _id } = await settledIntent();
    const { page, context } = await open(`/dispute?intent=${_id}`);
    const reason = page.getByLabel(texts.dispute.reason);
    await reason.fill('Nothing arrived.');
    const hint = page.locator(`[id="${await reason.getAttribute('aria-describedby')}"]`);
    expect(await hint.textContent()).toContain('1,984');
    const announced = await page.locator('main [aria-live]').allTextContents();
    expect(announced.filter((text) => text !== '')).toEqual([]);
    const hash = page.getByLabel(texts.offramp.hash);
    await hash.fill('no hash');
    await hash.press('Enter');
    await page.locator('main [aria-live]', { hasText: texts.offramp.hashWrong }).waitFor();
    await context.close();
  });

  itInBrowser('of the oracle’s key takes away what was found by another key', async () => {
    const { page, context } = await open('/proof');
    await button(page, texts.proof.wholeStart).click();
    const held = page.getByText(/^(The one batch is|All \d+ batches are) signed/);
    await held.waitFor();
    await page.getByLabel(texts.proof.ownOracle).fill(seller.account);
    await held.waitFor({ state: 'detached' });
    await button(page, texts.proof.wholeStart).click();
    await page.getByRole('alert').filter({ hasText: /\d/ }).waitFor();
    await context.close();
  });

  itInBrowser(
    'of the publisher’s key names another key, and no break, where the chain begins with one',
    async () => {
      const { page, context } = await open('/proof');
      await page.getByLabel(texts.proof.ownKey).fill(seller.account);
      await button(page, texts.proof.wholeStart).click();
      const found = texts.proof.whole_otherKey.replace('{sequence}', '1');
      await page.getByText(found, { exact: true }).waitFor();
      await context.close();
    },
  );

  itInBrowser('keeps what an admin is typing while the list behind it is asked for anew', async () => {
    const { page, context } = await open('/desk');
    await page.getByLabel(texts.desk.key, { exact: true }).fill(testAdminKey);
    await press(button(page, texts.desk.openNow));
    const anchor = page.getByRole('searchbox', { name: texts.offramp.anchor });
    await anchor.pressSequentially('har');
    const asked = await page.waitForResponse(/\/api\/admin\/disputes\?/, { timeout: 30_000 });
    await asked.finished();
    // Waits until the answer is drawn, before more is typed.
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))');
    await anchor.pressSequentially('bour');
    expect(await anchor.inputValue()).toBe('harbour');
    await anchor.press('Enter');
    await page.waitForURL(/[?&]anchor=harbour(&|$)/);
    await context.close();
  });

  itInBrowser('that has copied a call says so of that call alone', async () => {
    const { page, context } = await browser.reader({ permissions: ['clipboard-read', 'clipboard-write'] });
    await page.goto(`${service.it.app.url}/anchors/harbour`);
    await button(page, texts.common.copy).click();
    await button(page, texts.common.copied).waitFor();
    await page.getByRole('radio', { name: texts.anchors.protocolSep6 }).check();
    await button(page, texts.common.copy).waitFor();
    await context.close();
  });
});

describe('ages', () => {
  itInBrowser.each([-180_000, 180_000])(
    'are told by the clock of the service where that of the reader is off by %s ms',
    async (offMs) => {
      const { page, context } = await browser.reader();
      await page.addInitScript((off) => {
        const ofDevice = Date.now;
        Date.now = () => ofDevice() + off;
      }, offMs);
      await page.goto(`${service.it.app.url}/rates/usdc-ngn`);
      await page
        .locator('[data-liveness]')
        .getByText(/^\d+ sec\. ago$/)
        .waitFor();
      await context.close();
    },
  );
});
