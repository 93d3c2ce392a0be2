import type { Page } from 'playwright-core';
import type { TestAccount, TestApp } from '../support/app.ts';

export const longUrlField = (page: Page) => page.getByRole('textbox', { name: 'Long URL' });
export const rows = (page: Page) => page.locator('.link-row');
export const row = (page: Page, suffix: string) => rows(page).filter({ hasText: suffix });
export const suffixes = (page: Page): Promise<string[]> =>
  page.locator('.short-text > :last-child').allInnerTexts();
export const notice = (page: Page) => page.locator('.notice');

/** Pastes a text outside any field, and waits until the field that creates links has the focus. */
export async function pasteOutside(page: Page, text: string): Promise<void> {
  await page.evaluate((pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', pasted);
    document.body.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
    );
  }, text);
  await page.locator('#new-link:focus').waitFor();
}

/** Functions that create links and tags by the API, before a page is opened. */
export function linksOf(app: TestApp) {
  const createLink = (account: TestAccount, suffix: string, fields: object = {}) =>
    app.createLink(account, { destination_url: `https://example.com/${suffix}`, suffix, ...fields });

  async function createTag(account: TestAccount, name: string): Promise<number> {
    const created = await app.call('POST', '/api/v1/tag', { key: account.key, body: { name } });
    if (created.status !== 201) throw new Error(created.text);
    return created.json.id;
  }

  return { createLink, createTag };
}
