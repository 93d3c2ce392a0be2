import { describe, expect, test } from 'bun:test';
import { accessibilityViolations } from '../support/browser.ts';
import { appOfSuite } from '../support/browser-suite.ts';
import { eventually } from '../support/eventually.ts';
import { notice } from './link-list.ts';
import { field, linkPagesOf, unsaved } from './link-page.ts';
import { dashboardsInOnePage } from './one-page.ts';

const app = await appOfSuite();
const open = linkPagesOf(app, dashboardsInOnePage(app));

describe('scheduled changes of a link', () => {
  test('are shown as applied without a reload, also if they are applied late', async () => {
    const { page, link, owner } = await open({ name: 'First' });
    app.clock.now = Date.now();
    const body = { at: new Date(Date.now() + 3_000).toISOString(), changes: { name: 'Second' } };
    await app.call('POST', `/api/v1/link/${link.id}/scheduled`, { key: owner.key, body });
    await page.goto(`${page.url()}/scheduled`);
    const withdraw = page.getByRole('button', { name: /^Withdraw/ });
    await withdraw.waitFor();
    // The clock of the service stands still: the page looks for the change at its time, and it is not made yet.
    await page.waitForResponse((response) => response.url().endsWith('/scheduled'));
    expect(await withdraw.count()).toBe(1);
    app.clock.now += 4_000;
    await page.getByText('Applied', { exact: true }).waitFor();
    expect(await withdraw.count()).toBe(0);
  });

  test('are created from unsaved changes, rescheduled, withdrawn, and shown as applied or refused', async () => {
    const { page, read, link, owner, change } = await open({ name: 'First' });
    const items = page.locator('.history-entry');
    await field(page, 'Name').fill('Second');
    await page.getByRole('button', { name: 'Save later' }).click();
    const dialog = page.getByRole('dialog', { name: 'Save later' });
    expect(await dialog.innerText()).toContain('Name');
    expect(await accessibilityViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'In a week' }).click();
    await dialog.getByRole('button', { name: 'Schedule' }).click();
    await unsaved(page).waitFor({ state: 'detached' });
    expect(await field(page, 'Name').inputValue()).toBe('First');
    await notice(page).getByRole('button', { name: 'Show' }).click();
    await items.nth(0).waitFor();
    expect(await items.nth(0).innerText()).toMatch(/in 7 days, by .*Second/s);
    expect(await page.getByRole('link', { name: 'Scheduled' }).innerText()).toBe('Scheduled 1');

    await items
      .nth(0)
      .getByRole('button', { name: /^Change the time/ })
      .click();
    await page.getByLabel('When').fill('2020-01-01T09:00');
    await page.getByRole('button', { name: 'Change the time', exact: true }).click();
    await page.getByText('yet to come', { exact: false }).waitFor();
    await page.getByRole('button', { name: 'In a day' }).click();
    await page.getByRole('button', { name: 'Change the time', exact: true }).click();
    await items.nth(0).getByText('in 24 hours', { exact: false }).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);

    // Another change is refused when it is due, because the link is marked as printed by then.
    const body = { at: new Date(app.clock.now + 1_000).toISOString(), changes: { disabled: true } };
    await app.call('POST', `/api/v1/link/${link.id}/scheduled`, { key: owner.key, body });
    await change({ on_paper: true });
    app.clock.now += 2_000;
    const scheduled = async () =>
      (await app.call('GET', `/api/v1/link/${link.id}/scheduled`, { key: owner.key })).text;
    await eventually(async () => (await scheduled()).includes('is in print'), 'the refusal');
    await page.getByRole('link', { name: 'History' }).click();
    await page.getByText('had scheduled a change that could not be applied').waitFor();
    expect(await page.locator('.callout').innerText()).toEndWith('would be led nowhere.');
    await page.getByRole('link', { name: 'Scheduled' }).click();
    await items.getByText('Not applied').first().waitFor();
    await page.getByText('is in print', { exact: false }).waitFor();
    expect(await items.locator('.callout').innerText()).toEndWith('would be led nowhere.');
    await page.getByRole('button', { name: /^Remove/ }).click();
    await items.nth(1).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /^Withdraw/ }).click();
    await page.getByText('Nothing is scheduled').waitFor();
    expect(await read()).toMatchObject({ name: 'First', disabled: false });
  });

  test('that are refused say which field is meant', async () => {
    const { page } = await open({ name: 'First' });
    await field(page, 'Destination on Android').fill('not an address');
    await page.getByRole('button', { name: 'Save later' }).click();
    const dialog = page.getByRole('dialog', { name: 'Save later' });
    await dialog.getByRole('button', { name: 'Schedule' }).click();
    await dialog.getByRole('alert').getByText('Destination on Android: This is not a web address.').waitFor();
  });

  test('are not saved at once by the keys that save, pressed in their dialog', async () => {
    const { page, read } = await open({ name: 'First' });
    await field(page, 'Name').fill('Second');
    await page.getByRole('button', { name: 'Save later' }).click();
    const dialog = page.getByRole('dialog', { name: 'Save later' });
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.method()));
    for (const keys of ['Control+s', 'Control+Enter', 'Control+k']) await page.keyboard.press(keys);
    expect(await page.getByRole('dialog').count()).toBe(1);
    await dialog.getByRole('button', { name: 'Schedule' }).click();
    await unsaved(page).waitFor({ state: 'detached' });
    expect(requests).not.toContain('PATCH');
    expect(await read()).toMatchObject({ name: 'First' });
  });

  test('leave a link the aliases that it gets until then', async () => {
    const { page, read, change } = await open({ suffix: 'before', aliases: ['dropped'] });
    await page.getByRole('button', { name: /^Remove .*dropped$/ }).click();
    await page.getByLabel(/^(Alias|Another alias)$/).fill('planned');
    await page.getByRole('button', { name: 'Save later' }).click();
    await page.getByRole('dialog', { name: 'Save later' }).getByRole('button', { name: 'Schedule' }).click();
    await unsaved(page).waitFor({ state: 'detached' });
    await change({ suffix: 'after' });
    app.clock.now += 25 * 3_600_000;
    await eventually(async () => JSON.stringify(await read()).includes('/planned'), 'the change');
    expect((await read()).aliases).toEqual([`${app.url}/before`, `${app.url}/planned`]);
    expect((await app.visit('/before')).status).toBe(302);
  });

  test('are given no other time than the field shows', async () => {
    const { page } = await open({ name: 'First' });
    await field(page, 'Name').fill('Second');
    await page.getByRole('button', { name: 'Save later' }).click();
    const dialog = page.getByRole('dialog', { name: 'Save later' });
    const when = dialog.getByLabel('When', { exact: true });
    await dialog.getByText('in 24 hours').waitFor();
    const inADay = await when.inputValue();
    await when.focus();
    await page.keyboard.press('Backspace');
    await dialog.getByText('in 24 hours').waitFor({ state: 'detached' });
    await dialog.getByRole('button', { name: 'In a day' }).click();
    await eventually(async () => (await when.inputValue()) >= inADay, 'the date in the field');
    // Otherwise browsers take years of six digits, which are no date of the API.
    expect(await when.getAttribute('max')).toBe('9999-12-31T23:59');
  });
});
