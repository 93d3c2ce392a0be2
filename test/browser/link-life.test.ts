import { describe, expect, test } from 'bun:test';
import { accessibilityViolations } from '../support/browser.ts';
import { appOfSuite } from '../support/browser-suite.ts';
import { followLink } from './follow-link.ts';
import { linksOf, notice, row, rows, suffixes } from './link-list.ts';
import { field, linkPagesOf, save } from './link-page.ts';
import { dashboardsInOnePage } from './one-page.ts';

const app = await appOfSuite();
const { createLink } = linksOf(app);
const dashboard = dashboardsInOnePage(app);
const open = linkPagesOf(app, dashboard);

describe('archiving', () => {
  test('removes links from the list, one or many, and unarchiving returns them; it is mentioned if all are archived', async () => {
    const account = await app.createAccount();
    for (const number of [1, 2, 3, 4]) await createLink(account, `shelf-${number}`);
    const page = await dashboard(account);
    await row(page, 'shelf-1')
      .getByRole('button', { name: /^More about/ })
      .click();
    await page.getByRole('button', { name: 'Archive link' }).click();
    await row(page, 'shelf-1').waitFor({ state: 'detached' });
    expect(await page.getByRole('status').getByText('3 links').isVisible()).toBe(true);
    await notice(page).getByRole('button', { name: 'Undo' }).click();
    await row(page, 'shelf-1').waitFor();

    for (const number of [1, 2])
      await page.getByRole('checkbox', { name: new RegExp(`shelf-${number}`) }).click();
    await page
      .getByRole('group', { name: 'Selected links' })
      .getByRole('button', { name: 'Archive' })
      .click();
    await row(page, 'shelf-2').waitFor({ state: 'detached' });
    expect(await suffixes(page)).toEqual(['/shelf-4', '/shelf-3']);

    await page.getByRole('link', { name: 'Archived links' }).click();
    await row(page, 'shelf-2').waitFor();
    expect(await suffixes(page)).toEqual(['/shelf-2', '/shelf-1']);
    expect(await page.getByRole('status').getByText('2 archived links').isVisible()).toBe(true);
    for (const number of [1, 2])
      await page.getByRole('checkbox', { name: new RegExp(`shelf-${number}`) }).click();
    await page
      .getByRole('group', { name: 'Selected links' })
      .getByRole('button', { name: 'Unarchive' })
      .click();
    await page.getByText('Nothing is archived').waitFor();
    await page.getByRole('link', { name: 'Show the links in use' }).click();
    await row(page, 'shelf-1').waitFor();
    expect(await rows(page).count()).toBe(4);
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await page
      .getByRole('group', { name: 'Selected links' })
      .getByRole('button', { name: 'Archive' })
      .click();
    await page.getByRole('link', { name: '4 archived links' }).click();
    await rows(page).nth(3).waitFor();
    expect(await rows(page).count()).toBe(4);
  });

  test('says so when links have been deleted elsewhere', async () => {
    const account = await app.createAccount();
    const links = [];
    for (const suffix of ['gone', 'gone-too', 'stays']) links.push(await createLink(account, suffix));
    const page = await dashboard(account);
    const archiveAll = async () => {
      await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
      const selected = page.getByRole('group', { name: 'Selected links' });
      await selected.getByRole('button', { name: 'Archive' }).click();
    };
    await rows(page).nth(2).waitFor();
    const ids = links.slice(0, 2).map(({ id }) => id);
    await app.call('POST', '/api/v1/link/bulk_delete', { key: account.key, body: { ids } });
    await archiveAll();
    await notice(page).getByText('1 link archived.').waitFor();
    await notice(page).getByRole('button', { name: 'Undo' }).click();
    await row(page, 'stays').waitFor();
    expect(await rows(page).count()).toBe(1);
    const body = { ids: links.map(({ id }) => id) };
    await app.call('POST', '/api/v1/link/bulk_delete', { key: account.key, body });
    await archiveAll();
    await notice(page).getByText('The link had already been deleted.').waitFor();
    await rows(page).first().waitFor({ state: 'detached' });
  });
});

describe('a link', () => {
  test('has no statistics once they are turned off, and shows that wherever they would be', async () => {
    const { page, link, read } = await open();
    await page.getByRole('switch', { name: 'Statistics' }).click();
    await save(page);
    expect(await read()).toMatchObject({ statistics: false });
    await app.visit(`/${link.suffix}`);
    await app.app.clicks.settled();
    expect(await page.locator('.facts').getByText('No statistics').isVisible()).toBe(true);
    await followLink(page, '/app');
    await row(page, link.suffix).getByText('No statistics').waitFor();
    await row(page, link.suffix).locator('[data-row-link]').click();
    for (const tab of ['Visits', 'Statistics']) {
      await page.getByRole('navigation', { name: 'Link' }).getByRole('link', { name: tab }).click();
      await page.getByRole('heading', { name: '1 click, and nothing else is recorded' }).waitFor();
    }
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Show what was recorded before' }).click();
    await page.locator('.board').waitFor();
    await page.getByRole('link', { name: 'Webhook' }).click();
    await page.getByText('its clicks are not sent').waitFor();
  });

  test('is disabled and has notes on its page, and both are found in the list', async () => {
    const { page, link, read } = await open({ name: 'Window' });
    await field(page, 'Notes').fill('On the door of the shop');
    await page.getByRole('switch', { name: 'Disabled' }).click();
    await save(page);
    expect(await read()).toMatchObject({ notes: 'On the door of the shop', disabled: true });
    expect((await app.visit(`/${link.suffix}`)).status).toBe(410);
    expect(await page.locator('.facts').getByText('Disabled').isVisible()).toBe(true);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('button', { name: 'Archive link' }).click();
    await page.locator('.facts').getByText('Archived').waitFor();
    await notice(page).getByRole('button', { name: 'Undo' }).click();
    await page.locator('.facts').getByText('Archived').waitFor({ state: 'detached' });
    expect(await accessibilityViolations(page)).toEqual([]);

    await followLink(page, '/app?q=door+of+the');
    await row(page, link.suffix).getByText('Disabled').waitFor();
    await followLink(page, `/app/links/${link.id}`);
    await page.getByRole('switch', { name: 'Disabled' }).click();
    await save(page);
    expect((await app.visit(`/${link.suffix}`)).status).toBe(302);
  });
});
