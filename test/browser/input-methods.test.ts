import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { dashboardOf } from '../support/browser.ts';
import { appOfSuite } from '../support/browser-suite.ts';

const app = await appOfSuite();

/** Types by an input method, whose text Enter confirms. */
async function compose(page: Page, text: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Input.imeSetComposition', {
    text,
    selectionStart: text.length,
    selectionEnd: text.length,
  });
}

test('Enter that confirms the text of an input method opens nothing in the palette', async () => {
  const page = await dashboardOf(app, await app.createAccount());
  await page.keyboard.press('Control+k');
  const words = page.getByRole('combobox', { name: 'Find links, tags, pages' });
  await words.focus();
  await compose(page, 'tag');
  await page.getByRole('option', { name: 'Tags' }).waitFor();
  await page.keyboard.press('Enter');
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
  expect(await words.count()).toBe(1);
  expect(new URL(page.url()).pathname).toBe('/app');
});

test('Enter that confirms the text of an input method creates no tag', async () => {
  const account = await app.createAccount();
  const page = await dashboardOf(app, account);
  const created: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') created.push(request.url());
  });
  await page.getByRole('button', { name: 'Options' }).click();
  await page.getByRole('combobox', { name: 'Tags' }).click();
  await compose(page, 'にほん');
  await page.getByRole('option', { name: 'Create tag “にほん”' }).waitFor();
  await page.keyboard.press('Enter');
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
  expect(created).toEqual([]);
});
