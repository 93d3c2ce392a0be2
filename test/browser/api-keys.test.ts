import { expect, test } from 'bun:test';
import type { Locator, Page } from 'playwright-core';
import { accessibilityViolations } from '../support/browser.ts';
import { appOfSuite } from '../support/browser-suite.ts';
import { followLink, waitUntilLeavable } from './follow-link.ts';
import { holdBack } from './held-requests.ts';
import { dashboardsInOnePage } from './one-page.ts';

const app = await appOfSuite();
const open = dashboardsInOnePage(app);

test('an API key is created, shown once, used, deleted and then refused', async () => {
  const page = await open(await app.createAccount(), '/app/account');
  const section = page.getByRole('region', { name: 'API Keys' });
  await section.getByRole('button', { name: 'Add API Key' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Newsletter script');
  await page.getByRole('button', { name: 'Create API Key' }).click();
  const key = await page.getByRole('dialog').locator('code').innerText();
  expect((await app.call('GET', '/api/v1/link', { key })).status).toBe(200);
  await page.getByRole('button', { name: 'Done' }).click();
  const row = section.getByRole('row', { name: /Newsletter script/ });
  await row.waitFor();
  expect(await page.content()).not.toContain(key);
  await page.reload();
  await row.getByText('just now').waitFor();
  await row.getByRole('button', { name: 'Delete API key Newsletter script' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete API key' }).click();
  await row.waitFor({ state: 'detached' });
  expect((await app.call('GET', '/api/v1/link', { key })).status).toBe(401);
});

const newKeyOn = async (page: Page): Promise<Locator> => {
  await page.getByRole('button', { name: 'Add API Key' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Newsletter script');
  await page.getByRole('button', { name: 'Create API Key' }).click();
  const dialog = page.getByRole('dialog', { name: 'Your new API key' });
  await dialog.waitFor();
  return dialog;
};

test('an API key that was deleted elsewhere leaves the list when it is to be deleted', async () => {
  const owner = await app.createAccount();
  const { id } = (await app.call('POST', '/api/v1/api_key', { key: owner.key, body: { name: 'Old' } })).json;
  const page = await open(owner, '/app/account');
  const deleting = page.getByRole('button', { name: 'Delete API key Old' });
  await deleting.waitFor();
  expect((await app.call('DELETE', `/api/v1/api_key/${id}`, { key: owner.key })).status).toBe(204);
  await deleting.click();
  await page.getByRole('button', { name: 'Delete API key', exact: true }).click();
  await page.getByText('There is no such API key').waitFor();
  await deleting.waitFor({ state: 'detached' });
});

test('the second click of a double click neither closes a secret nor confirms a deletion', async () => {
  const page = await open(await app.createAccount(), '/app/account');
  // The buttons lie upon each other.
  await page.setViewportSize({ width: 390, height: 844 });
  const doubleClick = async (first: Locator, second: Locator) => {
    await first.click();
    await second.hover();
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
  };
  await page.getByRole('button', { name: 'Add API Key' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Twice');
  const done = page.getByRole('button', { name: 'Done' });
  await doubleClick(page.getByRole('button', { name: 'Create API Key' }), done);
  expect(await page.getByRole('dialog').locator('code').innerText()).toMatch(/^lnt_/);
  await done.click();
  const row = page.getByRole('row', { name: /Twice/ });
  const confirm = page.getByRole('button', { name: 'Delete API key', exact: true });
  await doubleClick(row.getByRole('button', { name: 'Delete API key Twice' }), confirm);
  await confirm.click();
  await row.waitFor({ state: 'detached' });
});

test('a notice that appears while a dialog is open is in that dialog, and is dismissed by keyboard', async () => {
  const page = await open(await app.createAccount(), '/app/account');
  const dialog = await newKeyOn(page);
  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error('refused'));
    document.execCommand = () => false;
  });
  await dialog.getByRole('button', { name: 'Copy key' }).click();
  const alert = dialog.getByRole('alert');
  await alert.getByText("This browser doesn't let pages copy.").waitFor();
  expect(await page.getByRole('alert').count()).toBe(1);
  await dialog.getByRole('button', { name: 'Done' }).focus();
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Dismiss');
  expect(await accessibilityViolations(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await alert.waitFor({ state: 'detached' });
  await dialog.getByRole('button', { name: 'Copy key' }).click();
  await alert.waitFor();
  // It stays when the dialog is closed.
  await dialog.getByRole('button', { name: 'Done' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('alert').getByText("This browser doesn't let pages copy.").waitFor();
  await page.evaluate(() => {
    Reflect.deleteProperty(navigator.clipboard, 'writeText');
    Reflect.deleteProperty(document, 'execCommand');
  });
});

test("the browser's Back asks before it leaves a key that is not shown again", async () => {
  const page = await open(await app.createAccount(), '/app/tags');
  await page.getByRole('button', { name: 'My account' }).click();
  await page.getByRole('link', { name: 'My account' }).click();
  const dialog = await newKeyOn(page);
  const key = await dialog.locator('code').innerText();
  const question = page.getByRole('dialog', { name: 'Leave this page?' });
  await page.evaluate(() => history.back());
  await question.getByText('The key is not shown again.').waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  await question.getByRole('button', { name: 'Stay here' }).click();
  expect(await dialog.locator('code').innerText()).toBe(key);
  expect(new URL(page.url()).pathname).toBe('/app/account');
  await page.evaluate(() => history.back());
  await question.getByRole('button', { name: 'Leave this page' }).click();
  await page.getByRole('heading', { name: 'Tags', level: 1 }).waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
});

test('a secret that is being created is shown, although its dialog was to be closed meanwhile', async () => {
  const owner = await app.createAccount();
  const page = await open(owner, '/app/nowhere');
  const dialog = page.getByRole('dialog');
  for (const [path, call, opening, label, submit, shown] of [
    ['account', 'api_key', 'Add API Key', 'Name', 'Create API Key', 'Copy it now'],
    ['organization', 'invitation', 'Invite member', 'Email', 'Invite member', 'no mail was sent'],
  ] as const) {
    const { release } = await holdBack(page, `**/api/v1/${call}`);
    await followLink(page, `/app/${path}`);
    await page.getByRole('button', { name: opening }).click();
    await dialog.getByRole('textbox', { name: label, exact: true }).fill('slow@example.com');
    if (path === 'organization') await dialog.getByLabel('Role').selectOption('Administrator');
    await dialog.getByRole('button', { name: submit }).click();
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    expect(await dialog.getByRole('button', { name: 'Cancel' }).isDisabled()).toBe(true);
    release();
    await dialog.getByText(shown).waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.waitFor({ state: 'detached' });
    await waitUntilLeavable(page);
  }
  const { json } = await app.call('GET', '/api/v1/invitation', { key: owner.key });
  expect(json).toMatchObject([{ email: 'slow@example.com', role: 'administrator' }]);
});
