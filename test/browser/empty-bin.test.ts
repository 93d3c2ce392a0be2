import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { TestAccount } from '../support/app.ts';
import { barriersOn, dashboardOf } from '../support/browser.ts';
import { appOfSuite } from '../support/browser-suite.ts';

const app = await appOfSuite();

const row = (page: Page, suffix: string) => page.locator('.deleted-row').filter({ hasText: suffix });
const send = (who: TestAccount, method: string, path: string, body?: object) =>
  app.call(method, `/api/v1${path}`, { key: who.key, ...(body ? { body } : {}) });

async function made(who: TestAccount, suffix: string): Promise<number> {
  return (await send(who, 'POST', '/link', { destination_url: `https://example.com/${suffix}`, suffix })).json
    .id;
}

async function binOf(who: TestAccount, ...suffixes: string[]): Promise<Page> {
  for (const suffix of suffixes) await send(who, 'DELETE', `/link/${await made(who, suffix)}`);
  const page = await dashboardOf(app, who);
  await page.goto(`${app.url}/app/links/deleted`);
  await row(page, suffixes[0] ?? '').waitFor();
  return page;
}
const total = async (who: TestAccount) => (await send(who, 'GET', '/link/deleted')).json.total_links;

test('a deleted link is deleted for good after confirmation, and the others stay', async () => {
  const who = await app.createAccount();
  const page = await binOf(who, 'one-goes', 'one-stays');
  const button = row(page, 'one-goes').getByRole('button', { name: /Delete .*one-goes for good/ });
  await button.click();
  await page.getByRole('button', { name: 'Cancel' }).click();
  expect(await total(who)).toBe(2);
  await button.click();
  await page.getByText("This can't be undone.").waitFor();
  expect(await barriersOn(page)).toEqual([]);
  await page.getByRole('button', { name: 'Delete for good', exact: true }).click();
  await page.locator('.notice').getByText('deleted for good').waitFor();
  await row(page, 'one-goes').waitFor({ state: 'detached' });
  expect(await row(page, 'one-stays').count()).toBe(1);
  expect(await total(who)).toBe(1);
});

test('the bin is emptied after confirmation', async () => {
  const who = await app.createAccount();
  const page = await binOf(who, 'all-go', 'all-of-them');
  await page.getByRole('button', { name: 'Empty the bin' }).click();
  await page.getByText('2 deleted links can no longer be restored').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Empty the bin' }).click();
  await page.getByRole('heading', { name: 'Nothing to restore' }).waitFor();
  await page.locator('.notice').getByText('2 links deleted for good.').waitFor();
  expect(await total(who)).toBe(0);
});

test('a link whose address another link has says so, links to it, and can be restored when that is gone', async () => {
  const who = await app.createAccount();
  const page = await binOf(who, 'taken-again');
  const young = await made(who, 'taken-again');
  await page.reload();
  const back = row(page, 'taken-again').getByRole('button', { name: /^Restore/ });
  await row(page, 'taken-again').getByText('Address used by').waitFor();
  await back.click();
  await page.locator('.notice').getByText('its suffix "taken-again" is that of link').waitFor();
  expect(await barriersOn(page)).toEqual([]);
  await row(page, 'taken-again').getByRole('link', { name: 'another link' }).click();
  await page.waitForURL(`**/app/links/${young}`);
  await send(who, 'DELETE', `/link/${young}`);
  await send(who, 'DELETE', `/link/deleted/${young}`);
  await page.goto(`${app.url}/app/links/deleted`);
  await back.click();
  await page.locator('.notice').getByText('1 link restored.').waitFor();
});
