import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { TestAccount } from '../support/app.ts';
import { accessibilityViolations } from '../support/browser.ts';
import { appOfSuite } from '../support/browser-suite.ts';
import { followLink } from './follow-link.ts';
import { dashboardsInOnePage } from './one-page.ts';

const app = await appOfSuite();
const open = dashboardsInOnePage(app);

const row = (page: Page, suffix: string) => page.locator('.deleted-row').filter({ hasText: suffix });
const send = (account: TestAccount, method: string, path: string, body?: object) =>
  app.call(method, `/api/v1${path}`, { key: account.key, ...(body ? { body } : {}) });

async function createLink(account: TestAccount, suffix: string): Promise<number> {
  return (await send(account, 'POST', '/link', { destination_url: `https://example.com/${suffix}`, suffix }))
    .json.id;
}

async function openBinWith(account: TestAccount, ...suffixes: string[]): Promise<Page> {
  for (const suffix of suffixes) await send(account, 'DELETE', `/link/${await createLink(account, suffix)}`);
  const page = await open(account, '/app/links/deleted');
  await row(page, suffixes[0] ?? '').waitFor();
  return page;
}
const deletedCount = async (account: TestAccount) =>
  (await send(account, 'GET', '/link/deleted')).json.total_links;

test('a deleted link is deleted for good after confirmation, and the others stay', async () => {
  const account = await app.createAccount();
  const page = await openBinWith(account, 'one-goes', 'one-stays');
  const button = row(page, 'one-goes').getByRole('button', { name: /Delete .*one-goes for good/ });
  await button.click();
  await page.getByRole('button', { name: 'Cancel' }).click();
  expect(await deletedCount(account)).toBe(2);
  await button.click();
  await page.getByText("This can't be undone.").waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Delete for good', exact: true }).click();
  await page.locator('.notice').getByText('deleted for good').waitFor();
  await row(page, 'one-goes').waitFor({ state: 'detached' });
  expect(await row(page, 'one-stays').count()).toBe(1);
  expect(await deletedCount(account)).toBe(1);
});

test('the bin is emptied after confirmation', async () => {
  const account = await app.createAccount();
  const page = await openBinWith(account, 'all-go', 'all-of-them');
  await page.getByRole('button', { name: 'Empty the bin' }).click();
  await page.getByText('2 deleted links can no longer be restored').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Empty the bin' }).click();
  await page.getByRole('heading', { name: 'Nothing to restore' }).waitFor();
  await page.locator('.notice').getByText('2 links deleted for good.').waitFor();
  expect(await deletedCount(account)).toBe(0);
});

test('a deleted link whose address another link uses shows that, links to it, and can be restored once the other is deleted', async () => {
  const account = await app.createAccount();
  await send(account, 'DELETE', `/link/${await createLink(account, 'taken-again')}`);
  const newLinkId = await createLink(account, 'taken-again');
  const page = await open(account, '/app/links/deleted');
  const restoreButton = row(page, 'taken-again').getByRole('button', { name: /^Restore/ });
  await row(page, 'taken-again').getByText('Address used by').waitFor();
  await restoreButton.click();
  await page.locator('.notice').getByText('its suffix "taken-again" is that of link').waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  await row(page, 'taken-again').getByRole('link', { name: 'another link' }).click();
  await page.waitForURL(`**/app/links/${newLinkId}`);
  await send(account, 'DELETE', `/link/${newLinkId}`);
  await send(account, 'DELETE', `/link/deleted/${newLinkId}`);
  await followLink(page, '/app/links/deleted');
  await restoreButton.click();
  await page.locator('.notice').getByText('1 link restored.').waitFor();
});
