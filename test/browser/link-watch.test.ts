import { describe, expect, test } from 'bun:test';
import { accessibilityViolations } from '../support/browser.ts';
import { appOfSuite } from '../support/browser-suite.ts';
import { eventually } from '../support/eventually.ts';
import { followLink } from './follow-link.ts';
import { linksOf, row, rows } from './link-list.ts';
import { save, unsaved } from './link-page.ts';
import { dashboardsInOnePage } from './one-page.ts';

const app = await appOfSuite();
const dashboard = dashboardsInOnePage(app);
const { createLink } = linksOf(app);

const problems = [
  {
    url: 'https://example.com/old',
    problem: 'moved',
    detail: 'https://example.com/new-place-of-it',
    since: Date.now() - 7_200_000,
  },
  {
    url: 'https://phones.example.com/app',
    problem: 'broken',
    detail: 'It answered 404.',
    since: Date.now() - 90_000_000,
  },
] as const;

/** Stores problems as the destination watch does. */
const storeProblems = (id: number) =>
  app.app.context.database.write((queries) =>
    queries
      .updateTable('links')
      .set({ destination_problems: JSON.stringify(problems) })
      .where('id', '=', id)
      .execute(),
  );

describe('the destination watch', () => {
  test('shows its findings on the page of a link, is enabled there, and offers the new address of a moved destination', async () => {
    const account = await app.createAccount();
    const { id } = await createLink(account, 'moved', { destination_url: 'https://example.com/old' });
    await storeProblems(id);
    const page = await dashboard(account, `/app/links/${id}`);
    const list = page.getByRole('list', { name: 'Failing destinations' });
    await list.getByText('has moved permanently').waitFor();
    await list.getByText('It answered 404.').waitFor();
    await page.locator('.facts').getByText('Moved').waitFor();
    // This service sends no mail.
    await page.getByText('Problems found twice, an hour apart, are reported here.').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole('combobox', { name: 'Destination watch' }).selectOption('On');
    await list.getByRole('button', { name: 'Use this address' }).click();
    await save(page);
    await unsaved(page).waitFor({ state: 'detached' });
    const { json } = await app.call('GET', `/api/v1/link/${id}`, { key: account.key });
    expect(json).toMatchObject({
      watch_destination: true,
      destination_url: 'https://example.com/new-place-of-it',
      destination_problems: [],
    });
  });

  test('marks failing links in the list, which can be filtered, and is turned on for all on the page Organization', async () => {
    const account = await app.createAccount();
    const { id } = await createLink(account, 'failing');
    await createLink(account, 'well');
    await storeProblems(id);
    const page = await dashboard(account);
    await page.getByRole('combobox', { name: 'Filter by state' }).selectOption('has_problem');
    await row(page, 'well').waitFor({ state: 'detached' });
    await row(page, 'failing').getByText('Moved, Broken').waitFor();
    expect(await rows(page).count()).toBe(1);
    await followLink(page, '/app/organization');
    await page.getByText('an hour apart: in the list of links. Each link').waitFor();
    await page.getByRole('switch', { name: 'Check destinations once a day', checked: false }).click();
    await page.getByRole('switch', { name: 'Check destinations once a day', checked: true }).waitFor();
    const turnedOn = async () =>
      (await app.call('GET', '/api/v1/organization', { key: account.key })).json.watch_destinations;
    await eventually(turnedOn, 'the organization to watch');
    await followLink(page, `/app/links/${id}`);
    await page.getByRole('option', { name: 'As the organization: on' }).waitFor({ state: 'attached' });
  });
});
