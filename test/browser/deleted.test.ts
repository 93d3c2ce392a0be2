import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { TestAccount } from '../support/app.ts';
import { barriersOn, dashboardOf } from '../support/browser.ts';
import { appOfSuite } from '../support/browser-suite.ts';
import { pressUntil } from '../support/press-until.ts';

const app = await appOfSuite();

const bin = '/app/links/deleted';
const rows = (page: Page) => page.locator('.deleted-row');
const row = (page: Page, suffix: string) => rows(page).filter({ hasText: suffix });
const suffixes = (page: Page): Promise<string[]> => page.locator('.short-text > :last-child').allInnerTexts();
const notice = (page: Page) => page.locator('.notice');
const back = (page: Page, suffix: string) => row(page, suffix).getByRole('button', { name: /^Restore .+/ });

async function deleted(
  who: TestAccount,
  suffix: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<number> {
  const body = { destination_url: `https://example.com/${suffix}`, suffix, ...more };
  const made = await app.call('POST', '/api/v1/link', { key: who.key, body });
  if (made.status !== 201) throw new Error(made.text);
  const gone = await app.call('DELETE', `/api/v1/link/${made.json.id}`, { key: who.key });
  if (gone.status !== 204) throw new Error(gone.text);
  app.clock.now += 1_000;
  return made.json.id;
}

describe('deleted links', () => {
  test('are found from the list, show what they were and how long they are kept, and are restored unchanged', async () => {
    const who = await app.createAccount();
    const id = await deleted(who, 'way-back', { name: 'On the poster', password: 'open sesame' });
    await app.call('POST', '/api/v1/link', {
      key: who.key,
      body: { destination_url: 'https://example.com/stays', suffix: 'way-stays' },
    });
    const page = await dashboardOf(app, who);
    await page.getByRole('link', { name: 'Deleted links' }).click();
    await page.getByRole('heading', { name: 'Deleted links' }).waitFor();
    await row(page, 'way-back').waitFor();
    const told = await row(page, 'way-back').innerText();
    for (const part of ['On the poster', 'example.com/way-back', 'Deleted just now', 'Kept until '])
      expect(told).toContain(part);
    expect((await app.visit('/way-back')).status).toBe(404);

    await back(page, 'way-back').click();
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
    const who = await app.createAccount();
    const page = await dashboardOf(app, who);
    await page.getByText('Your first link is one paste away').waitFor();
    expect(await page.getByText('can still be restored').count()).toBe(0);
    await deleted(who, 'all-gone');
    await page.reload();
    await page.getByRole('link', { name: '1 deleted link' }).click();
    await row(page, 'all-gone').waitFor();
  });

  test('appear at once when deleted in the list, even again', async () => {
    const who = await app.createAccount();
    await app.call('POST', '/api/v1/link', {
      key: who.key,
      body: { destination_url: 'https://example.com', suffix: 'to-and-fro' },
    });
    const page = await dashboardOf(app, who);
    for (let round = 0; round < 2; round += 1) {
      await page.locator('.link-row', { hasText: 'to-and-fro' }).waitFor();
      await page.getByRole('checkbox', { name: /to-and-fro/ }).check();
      await page.getByRole('button', { name: 'Delete 1 link' }).click();
      await page.getByRole('link', { name: '1 deleted link' }).click();
      await back(page, 'to-and-fro').click();
      await page.getByRole('heading', { name: 'Nothing to restore' }).waitFor();
      await page.getByRole('link', { name: 'Show all links' }).click();
    }
    await page.locator('.link-row', { hasText: 'to-and-fro' }).waitFor();
    expect((await app.visit('/to-and-fro')).status).toBe(302);
  });

  test('are selected as a range and restored together', async () => {
    const who = await app.createAccount();
    for (const at of [1, 2, 3, 4, 5]) await deleted(who, `bin-${at}`);
    const page = await dashboardOf(app, who, bin);
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
    const who = await app.createAccount();
    for (const at of [1, 2, 3, 4]) await deleted(who, `press-${at}`);
    const page = await dashboardOf(app, who, bin);
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
    // The focus moves to what replaces the rows.
    await page.getByRole('link', { name: 'Show all links' }).and(page.locator(':focus')).waitFor();
  });

  test("that can't be restored stay with a message, and can be retried", async () => {
    const who = await app.createAccount();
    await deleted(who, 'try-again');
    const page = await dashboardOf(app, who, bin);
    await page.route('**/api/v1/link/restore', (route) => route.abort());
    await back(page, 'try-again').click();
    await page.getByRole('alert').getByText('Nothing was restored.').waitFor();
    await row(page, 'try-again').waitFor();
    await page.unroute('**/api/v1/link/restore');
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Nothing to restore' }).waitFor();
    expect((await app.visit('/try-again')).status).toBe(302);
  });

  test('that were restored elsewhere are reported as such, and the list is refreshed', async () => {
    const who = await app.createAccount();
    const [first] = [await deleted(who, 'theirs-1'), await deleted(who, 'theirs-2')];
    const third = await deleted(who, 'theirs-3');
    const restore = (id: number) =>
      app.call('POST', '/api/v1/link/restore', { key: who.key, body: { ids: [id] } });
    const page = await dashboardOf(app, who, bin);
    await row(page, 'theirs-1').waitFor();
    await restore(first);
    await back(page, 'theirs-1').click();
    await page.getByRole('alert').getByText('None of these links can be restored.').waitFor();
    await row(page, 'theirs-1').waitFor({ state: 'detached' });
    expect(await suffixes(page)).toEqual(['/theirs-3', '/theirs-2']);
    await restore(third);
    await page.getByRole('checkbox', { name: 'Select all that are shown' }).check();
    await page.getByRole('button', { name: 'Restore 2 links' }).click();
    await notice(page).getByText('1 of 2 links restored. The other was already restored').waitFor();
    await page.getByRole('heading', { name: 'Nothing to restore' }).waitFor();
  });

  test('that are deleted here and restored elsewhere are in the list again', async () => {
    const who = await app.createAccount();
    await app.call('POST', '/api/v1/link', {
      key: who.key,
      body: { destination_url: 'https://example.com', suffix: 'two-tabs' },
    });
    const page = await dashboardOf(app, who);
    const shown = page.locator('.link-row', { hasText: 'two-tabs' });
    await shown.waitFor();
    const read = page.waitForResponse((answer) => new URL(answer.url()).pathname === '/api/v1/link');
    await page.getByRole('checkbox', { name: /two-tabs/ }).check();
    await page.getByRole('button', { name: 'Delete 1 link' }).click();
    await (await read).finished();
    await page.getByText('Your first link is one paste away').waitFor();
    const other = await dashboardOf(app, who, bin);
    await back(other, 'two-tabs').click();
    await notice(other).getByText('1 link restored.').waitFor();
    // The page is reloaded when it becomes visible again.
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await shown.waitFor();
    expect((await app.visit('/two-tabs')).status).toBe(302);
  });

  test('are loaded page by page if there are many, and can be selected together', async () => {
    const who = await app.createAccount();
    const links = Array.from({ length: 130 }, (_, at) => ({ destination_url: `https://example.com/${at}` }));
    const made = await app.call('POST', '/api/v1/link/bulk', { key: who.key, body: { links } });
    const ids = made.json.results.map((result: { link: { id: number } }) => result.link.id);
    await app.call('POST', '/api/v1/link/bulk_delete', { key: who.key, body: { ids } });
    const page = await dashboardOf(app, who, bin);
    await rows(page).nth(99).waitFor();
    expect(await rows(page).count()).toBe(100);
    await page.getByRole('status').getByText('130 deleted links').waitFor();
    await page.getByRole('button', { name: 'Show older ones' }).click();
    await rows(page).nth(129).waitFor();
    expect(await page.getByRole('button', { name: 'Show older ones' }).count()).toBe(0);
    await page.getByRole('checkbox', { name: 'Select all that are shown' }).check();
    await page.getByRole('button', { name: 'Restore 130 links' }).click();
    await notice(page).getByText('130 links restored.').waitFor();
    await page.getByRole('heading', { name: 'Nothing to restore' }).waitFor();
  });

  test("that can't be loaded can be requested again", async () => {
    const who = await app.createAccount();
    await deleted(who, 'late-list');
    const page = await dashboardOf(app, who, '/app/tags');
    await page.route('**/api/v1/link/deleted**', (route) => route.abort());
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Find links, tags, pages' }).fill('deleted');
    await page.getByRole('option', { name: 'Deleted links' }).click();
    await page.getByRole('alert').waitFor();
    await page.unroute('**/api/v1/link/deleted**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await row(page, 'late-list').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('run no scripts, whatever their names', async () => {
    const who = await app.createAccount();
    const payload = '<img src=x onerror="globalThis.ran=1">';
    await deleted(who, 'script-gone', {
      name: payload,
      destination_url: `https://example.com/?x=${payload}`,
    });
    const page = await dashboardOf(app, who, bin);
    await page.getByText(payload, { exact: true }).waitFor();
    expect(await page.evaluate(() => 'ran' in globalThis)).toBe(false);
  });

  test('that will soon be gone say so, and pass the accessibility check: a phone, dark', async () => {
    const who = await app.createAccount();
    const { now } = app.clock;
    app.clock.now = now - 29 * 86_400_000;
    await deleted(who, 'nearly-gone', { name: 'קישור לאתר' });
    app.clock.now = now;
    await deleted(who, 'just-gone');
    const options = { colorScheme: 'dark', viewport: { width: 390, height: 844 }, hasTouch: true } as const;
    const page = await dashboardOf(app, who, bin, options);
    await row(page, 'nearly-gone')
      .getByText(/^Gone for good (in \d\d hours|tomorrow)$/)
      .waitFor();
    await page.getByRole('checkbox', { name: /nearly-gone/ }).check();
    expect(await barriersOn(page)).toEqual([]);
    await page.getByRole('button', { name: 'Restore 1 link' }).click();
    await row(page, 'nearly-gone').waitFor({ state: 'detached' });
    expect(await suffixes(page)).toEqual(['/just-gone']);
  });
});
