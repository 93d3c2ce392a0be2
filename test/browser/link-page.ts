import { expect } from 'bun:test';
import type { Locator, Page } from 'playwright-core';
import type { TestAccount, TestApp } from '../support/app.ts';
import { dashboardOf } from '../support/browser.ts';

export interface LinkPage {
  readonly owner: TestAccount;
  readonly link: { readonly id: number; readonly url: string; readonly suffix: string };
  readonly page: Page;
  read(): Promise<Record<string, unknown>>;
  change(body: object): Promise<void>;
}

/** Creates a link of a new owner, and opens its page in a browser: in one of its own, or with `dashboardsInOnePage`. */
export function linkPagesOf(
  app: TestApp,
  dashboard = (owner: TestAccount, path: string) => dashboardOf(app, owner, path),
): (fields?: object, tab?: string) => Promise<LinkPage> {
  return async (fields = {}, tab = '') => {
    const owner = await app.createAccount();
    const created = await app.call('POST', '/api/v1/link', {
      key: owner.key,
      body: { destination_url: 'https://example.com/before', ...fields },
    });
    expect(created.status).toBe(201);
    const path = `/api/v1/link/${created.json.id}`;
    const page = await dashboard(owner, `/app/links/${created.json.id}${tab}`);
    await page.getByRole('navigation', { name: 'Link' }).waitFor();
    return {
      owner,
      link: created.json,
      page,
      read: async () => (await app.call('GET', path, { key: owner.key })).json,
      async change(body) {
        expect((await app.call('PATCH', path, { key: owner.key, body })).status).toBe(200);
      },
    };
  };
}

/** "Changes saved." may still be shown from an earlier save, so this also waits until nothing is unsaved. */
export const save = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Save changes' }).click();
  await unsaved(page).waitFor({ state: 'detached' });
  await page.getByText('Changes saved.').first().waitFor();
};

export const unsaved = (page: Page): Locator => page.getByRole('region', { name: 'Unsaved changes' });
export const field = (page: Page, label: string): Locator => page.getByLabel(label, { exact: true });

/** Whether a field of a date or a time has some of its parts, but not all. */
export const isHalfTyped = (input: Locator): Promise<boolean> =>
  input.evaluate((element) => (element as HTMLInputElement).validity.badInput);

/** The description that a screen reader announces after a field's name. */
export async function describedBy(input: Locator): Promise<string> {
  const ids = (await input.getAttribute('aria-describedby'))?.split(' ') ?? [];
  const texts = await Promise.all(ids.map((id) => input.page().locator(`[id="${id}"]`).textContent()));
  return texts.join(' ');
}
