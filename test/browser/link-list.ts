import type { Page } from 'playwright-core';
import type { TestAccount, TestApp } from '../support/app.ts';

export const field = (page: Page) => page.getByRole('textbox', { name: 'Long URL' });
export const rows = (page: Page) => page.locator('.link-row');
export const row = (page: Page, suffix: string) => rows(page).filter({ hasText: suffix });
export const suffixes = (page: Page): Promise<string[]> =>
  page.locator('.short-text > :last-child').allInnerTexts();
export const notice = (page: Page) => page.locator('.notice');

/** Creates links and tags before a page is opened. */
export function linksOf(app: TestApp) {
  async function link(
    who: TestAccount,
    suffix: string,
    more: Readonly<Record<string, unknown>> = {},
  ): Promise<{ id: number; url: string }> {
    const made = await app.call('POST', '/api/v1/link', {
      key: who.key,
      body: { destination_url: `https://example.com/${suffix}`, suffix, ...more },
    });
    if (made.status !== 201) throw new Error(made.text);
    return made.json;
  }

  async function tag(who: TestAccount, name: string): Promise<number> {
    const made = await app.call('POST', '/api/v1/tag', { key: who.key, body: { name } });
    if (made.status !== 201) throw new Error(made.text);
    return made.json.id;
  }

  return { link, tag };
}
