import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { dayLength } from '../../src/rules/durations.ts';
import type { TestAccount } from '../support/app.ts';
import { accessibilityViolations } from '../support/browser.ts';
import { appOfSuite } from '../support/browser-suite.ts';
import { pressUntil } from '../support/press-until.ts';
import { notice, suffixes } from './link-list.ts';
import { dashboardsInOnePage } from './one-page.ts';

const app = await appOfSuite();
const open = dashboardsInOnePage(app);

const binPath = '/app/links/deleted';
const rows = (page: Page) => page.locator('.deleted-row');
const row = (page: Page, suffix: string) => rows(page).filter({ hasText: suffix });
const restoreButton = (page: Page, suffix: string) =>
  row(page, suffix).getByRole('button', { name: /^Restore .+/ });

async function createDeleted(
  account: TestAccount,
  suffix: string,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<number> {
  const body = { destination_url: `https://example.com/${suffix}`, suffix, ...fields };
  const created = await app.call('POST', '/api/v1/link', { key: account.key, body });
  if (created.status !== 201) throw new Error(created.text);
  const deletion = await app.call('DELETE', `/api/v1/link/${created.json.id}`, { key: account.key });
  if (deletion.status !== 204) throw new Error(deletion.text);
  app.clock.now += 1_000;
  return created.json.id;
}

describe('deleted links', () => {
  test('are linked from the list, show their data and how long they are kept, and are restored unchanged', async () => {
    const account = await app.createAccount();
    const id = await createDeleted(account, 'way-back', { name: 'On the poster', password: 'open sesame' });
    await app.call('POST', '/api/v1/link', {
      key: account.key,
      body: { destination_url: 'https://example.com/stays', suffix: 'way-stays' },
    });
    const page = await open(account);
    await page.getByRole('link', { name: 'Deleted links' }).click();
    await page.getByRole('heading', { name: 'Deleted links' }).waitFor();
    await row(page, 'way-back').waitFor();
    const text = await row(page, 'way-back').innerText();
    for (const part of ['On the poster', 'example.com/way-back', 'Deleted just now', 'Kept until '])
      expect(text).toContain(part);
    expect((await app.visit('/way-back')).status).toBe(404);

    await restoreButton(page, 'way-back').click();
    await notice(page).getByText('1 link restored.').waitFor();
    await page.getByRole('heading', { name: 'Nothing to restore' }).waitFor();
    // The link still asks for its password.
    expect((await app.visit('/way-back')).status).toBe(200);
    await notice(page).getByRole('button', { name: 'Show link' }).click();
    await page.waitForURL(`**/app/links/${id}`);
    await page.getByRole('heading', { level: 1, name: /way-back/ }).waitFor();
    await page.getByRole('link', { name: 'Links', exact: true }).first().click();
    await page.locator('.link-row', { hasText: 'way-back' }).waitFor();
    expect(await suffixes(page)).toEqual(['/way-stays', '/way-back']);
  });

  test('are linked from a list that is empty because all were deleted', async () => {
    const account = await app.createAccount();
    const page = await open(account);
    await page.getByText('Your first link is one paste away').waitFor();
    expect(await page.getByText('can still be restored').count()).toBe(0);
    await createDeleted(account, 'all-gone');
    await page.reload();
    await page.getByRole('link', { name: '1 deleted link' }).click();
    await row(page, 'all-gone').waitFor();
    expect(await suffixes(page)).toEqual(['/all-gone']);
  });

  test('appear at once after being deleted in the list, even for the second time', async () => {
    const account = await app.createAccount();
    await app.call('POST', '/api/v1/link', {
      key: account.key,
      body: { destination_url: 'https://example.com', suffix: 'to-and-fro' },
    });
    const page = await open(account);
    for (let round = 0; round < 2; round += 1) {
      await page.locator('.link-row', { hasText: 'to-and-fro' }).waitFor();
      await page.getByRole('checkbox', { name: /to-and-fro/ }).check();
      await page.getByRole('button', { name: 'Delete 1 link' }).click();
      await page.getByRole('link', { name: '1 deleted link' }).click();
      await row(page, 'to-and-fro').waitFor();
      expect(await suffixes(page)).toEqual(['/to-and-fro']);
      await restoreButton(page, 'to-and-fro').click();
      await page.getByRole('heading', { name: 'Nothing to restore' }).waitFor();
      await page.getByRole('link', { name: 'Show all links' }).click();
    }
    await page.locator('.link-row', { hasText: 'to-and-fro' }).waitFor();
    expect((await app.visit('/to-and-fro')).status).toBe(302);
  });

  test('are selected as a range and restored together', async () => {
    const account = await app.createAccount();
    for (const number of [1, 2, 3, 4, 5]) await createDeleted(account, `bin-${number}`);
    const page = await open(account, binPath);
    await rows(page).nth(4).waitFor();
    expect(await suffixes(page)).toEqual(['/bin-5', '/bin-4', '/bin-3', '/bin-2', '/bin-1']);
    await page.getByRole('checkbox', { name: /bin-4/ }).click();
    await page.getByRole('checkbox', { name: /bin-2/ }).click({ modifiers: ['Shift'] });
    const bar = page.getByRole('group', { name: 'Selected links' });
    expect(await bar.innerText()).toContain('3 selected');
    await bar.getByRole('button', { name: 'Restore 3 links' }).click();
    await notice(page).getByText('3 links restored.').waitFor();
    await page.getByRole('status').getByText('2 deleted links').waitFor();
    expect(await suffixes(page)).toEqual(['/bin-5', '/bin-1']);
    expect((await app.visit('/bin-3')).status).toBe(302);
  });

  test('are restored by keyboard alone, and the focus moves to the next', async () => {
    const account = await app.createAccount();
    for (const number of [1, 2, 3, 4]) await createDeleted(account, `press-${number}`);
    const page = await open(account, binPath);
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
    await row(page, 'press-4').waitFor();
    await pressUntil(page, 'j', row(page, 'press-4').locator('[data-row-link]:focus'));
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await notice(page).getByText('1 link restored.').waitFor();
    expect(await focused()).toEndWith('/press-2');
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.keyboard.press('X');
    expect(await page.locator('.deleted-row.chosen').count()).toBe(2);
    await page.keyboard.press('Escape');
    expect(await page.locator('.deleted-row.chosen').count()).toBe(0);
    await page.keyboard.press('b');
    await row(page, 'press-1').waitFor({ state: 'detached' });
    expect(await suffixes(page)).toEqual(['/press-4', '/press-2']);
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Restore the selected links').waitFor();
    await page.keyboard.press('Escape');
    await row(page, 'press-2').locator('[data-row-link]').focus();
    await page.keyboard.press('x');
    await page.keyboard.press('k');
    await page.keyboard.press('x');
    await page.keyboard.press('b');
    await page.getByRole('heading', { name: 'Nothing to restore' }).waitFor();
    // The focus moves to the link that replaces the rows.
    await page.getByRole('link', { name: 'Show all links' }).and(page.locator(':focus')).waitFor();
    for (const number of [1, 2, 3, 4]) expect((await app.visit(`/press-${number}`)).status).toBe(302);
  });

  test("that can't be restored stay with a message, and can be retried", async () => {
    const account = await app.createAccount();
    await createDeleted(account, 'try-again');
    const page = await open(account, binPath);
    await page.route('**/api/v1/link/restore', (route) => route.abort());
    await restoreButton(page, 'try-again').click();
    await page.getByRole('alert').getByText('Nothing was restored.').waitFor();
    expect(await suffixes(page)).toEqual(['/try-again']);
    expect((await app.visit('/try-again')).status).toBe(404);
    await page.unroute('**/api/v1/link/restore');
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Nothing to restore' }).waitFor();
    expect((await app.visit('/try-again')).status).toBe(302);
  });

  test('that were restored by another client are reported as such, and the list is refreshed', async () => {
    const account = await app.createAccount();
    const [first] = [await createDeleted(account, 'theirs-1'), await createDeleted(account, 'theirs-2')];
    const third = await createDeleted(account, 'theirs-3');
    const restore = (id: number) =>
      app.call('POST', '/api/v1/link/restore', { key: account.key, body: { ids: [id] } });
    const page = await open(account, binPath);
    await row(page, 'theirs-1').waitFor();
    await restore(first);
    await restoreButton(page, 'theirs-1').click();
    await page.getByRole('alert').getByText('None of these links can be restored.').waitFor();
    await row(page, 'theirs-1').waitFor({ state: 'detached' });
    expect(await suffixes(page)).toEqual(['/theirs-3', '/theirs-2']);
    await restore(third);
    await page.getByRole('checkbox', { name: 'Select all that are shown' }).check();
    await page.getByRole('button', { name: 'Restore 2 links' }).click();
    await notice(page).getByText('1 of 2 links restored. The other was already restored').waitFor();
    await page.getByRole('heading', { name: 'Nothing to restore' }).waitFor();
    for (const number of [1, 2, 3]) expect((await app.visit(`/theirs-${number}`)).status).toBe(302);
  });

  test('that are deleted in one window and restored elsewhere are in the list again', async () => {
    const account = await app.createAccount();
    const { json } = await app.call('POST', '/api/v1/link', {
      key: account.key,
      body: { destination_url: 'https://example.com', suffix: 'two-tabs' },
    });
    const page = await open(account);
    const linkRow = page.locator('.link-row', { hasText: 'two-tabs' });
    await linkRow.waitFor();
    const listResponse = page.waitForResponse(
      (response) => new URL(response.url()).pathname === '/api/v1/link',
    );
    await page.getByRole('checkbox', { name: /two-tabs/ }).check();
    await page.getByRole('button', { name: 'Delete 1 link' }).click();
    await (await listResponse).finished();
    await page.getByText('Your first link is one paste away').waitFor();
    await app.call('POST', '/api/v1/link/restore', { key: account.key, body: { ids: [json.id] } });
    // The page is reloaded when it becomes visible again.
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await linkRow.waitFor();
    expect((await app.visit('/two-tabs')).status).toBe(302);
  });

  test('that are deleted on their own page and restored by another client are in the list again', async () => {
    const account = await app.createAccount();
    const { json: link } = await app.call('POST', '/api/v1/link', {
      key: account.key,
      body: { destination_url: 'https://example.com', suffix: 'own-page' },
    });
    const page = await open(account, `/app/links/${link.id}`);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('button', { name: 'Delete link' }).click();
    await page.getByText('Your first link is one paste away').waitFor();
    await app.call('POST', '/api/v1/link/restore', { key: account.key, body: { ids: [link.id] } });
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await page.locator('.link-row', { hasText: 'own-page' }).waitFor();
  });

  test('are loaded page by page if there are many, and can be selected together', async () => {
    const account = await app.createAccount();
    const links = Array.from({ length: 101 }, (_, number) => ({
      destination_url: `https://example.com/${number}`,
    }));
    const created = await app.call('POST', '/api/v1/link/bulk', { key: account.key, body: { links } });
    const ids = created.json.results.map((result: { link: { id: number } }) => result.link.id);
    await app.call('POST', '/api/v1/link/bulk_delete', { key: account.key, body: { ids } });
    const page = await open(account, binPath);
    await rows(page).nth(99).waitFor();
    expect(await rows(page).count()).toBe(100);
    await page.getByRole('status').getByText('101 deleted links').waitFor();
    await page.getByRole('button', { name: 'Show older ones' }).click();
    await rows(page).nth(100).waitFor();
    expect(await page.getByRole('button', { name: 'Show older ones' }).count()).toBe(0);
    await page.getByRole('checkbox', { name: 'Select all that are shown' }).check();
    await page.getByRole('button', { name: 'Restore 101 links' }).click();
    await notice(page).getByText('101 links restored.').waitFor();
    await page.getByRole('heading', { name: 'Nothing to restore' }).waitFor();
    const { json } = await app.call('GET', '/api/v1/link?limit=1', { key: account.key });
    expect(json.total_links).toBe(101);
  });

  test("that can't be loaded can be requested again", async () => {
    const account = await app.createAccount();
    await createDeleted(account, 'late-list');
    const page = await open(account, '/app/tags');
    await page.route('**/api/v1/link/deleted**', (route) => route.abort());
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Find links, tags, pages' }).fill('deleted');
    await page.getByRole('option', { name: 'Deleted links' }).click();
    await page.getByRole('alert').getByText("Linnet can't be reached").waitFor();
    await page.unroute('**/api/v1/link/deleted**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await row(page, 'late-list').waitFor();
    expect(await suffixes(page)).toEqual(['/late-list']);
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('run no scripts, whatever their names', async () => {
    const account = await app.createAccount();
    const payload = '<img src=x onerror="globalThis.ran=1">';
    await createDeleted(account, 'script-gone', {
      name: payload,
      destination_url: `https://example.com/?x=${payload}`,
    });
    const page = await open(account, binPath);
    await page.getByText(payload, { exact: true }).waitFor();
    expect(await page.evaluate(() => 'ran' in globalThis)).toBe(false);
  });

  test('that will soon be deleted for good show when, and pass the accessibility check: on a phone, dark', async () => {
    const account = await app.createAccount();
    const { now } = app.clock;
    app.clock.now = now - 29 * dayLength;
    await createDeleted(account, 'nearly-gone', { name: 'קישור לאתר' });
    app.clock.now = now;
    await createDeleted(account, 'just-gone');
    const page = await open(account, binPath);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await row(page, 'nearly-gone')
      .getByText(/^Gone for good in (\d\d hours|1 day)$/)
      .waitFor();
    const otherRow = await row(page, 'just-gone').innerText();
    expect(otherRow).toContain('Kept until ');
    expect(otherRow).not.toContain('Gone for good');
    await page.getByRole('checkbox', { name: /nearly-gone/ }).check();
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Restore 1 link' }).click();
    await row(page, 'nearly-gone').waitFor({ state: 'detached' });
    expect(await suffixes(page)).toEqual(['/just-gone']);
  });
});
