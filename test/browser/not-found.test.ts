import { expect, test } from 'bun:test';
import { dayLength } from '../../src/rules/durations.ts';
import { addNotFoundVisits } from '../../src/storage/not-found-visits.ts';
import { defaultDomainId } from '../../src/storage/schema.ts';
import { addDomain } from '../support/add-domain.ts';
import { dashboardOf } from '../support/browser.ts';
import { appOfSuite } from '../support/browser-suite.ts';
import { followLink } from './follow-link.ts';
import { dashboardsInOnePage } from './one-page.ts';

const app = await appOfSuite();
const dashboard = dashboardsInOnePage(app);
const { database } = app.app.context;
const today = Math.floor(app.clock.now / dayLength);
const addVisits = (domainId: number, suffix: string, visits: number) =>
  database.write((queries) => addNotFoundVisits(queries, domainId, today, [{ suffix, visits }]));

test('a mistyped address becomes a link with its domain and suffix filled in, and leaves the list', async () => {
  // The service's own domain is only shown to its operator.
  const owner = await app.createAccount();
  const id = await addDomain(app, owner, 'go.example.org');
  const body = { destination_url: 'https://example.com', domain: 'go.example.org', suffix: 'summer-sale' };
  await app.call('POST', '/api/v1/link', { key: owner.key, body });
  await addVisits(id, 'sumer-sale', 12);
  await addVisits(id, 'café', 2);
  await addVisits(defaultDomainId, 'brochure', 5);

  const page = await dashboard(owner, '/app/stats');
  await page.getByRole('link', { name: 'Not found' }).click();
  const rows = page.locator('tbody tr');
  await rows.nth(2).waitFor();
  expect(await rows.nth(0).innerText()).toContain('Did they mean /summer-sale?');
  await page.getByLabel('Domain', { exact: true }).selectOption('go.example.org');
  await rows.nth(2).waitFor({ state: 'detached' });
  expect(new URL(page.url()).searchParams.get('domain')).toBe('go.example.org');

  await page.getByRole('link', { name: /Make this link: .*café/ }).click();
  expect(await page.getByLabel('Suffix').inputValue()).toBe('café');
  expect(await page.getByLabel('Domain', { exact: true }).inputValue()).toBe('go.example.org');
  // The destination field has the focus, and the URL has no parameters that a reload would apply again.
  await page.locator('#new-link:focus').waitFor();
  expect(new URL(page.url()).search).toBe('');
  await page.keyboard.insertText('https://example.com/coffee');
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'New link' }).waitFor();
  await followLink(page, '/app/stats?view=not-found');
  await rows.nth(1).waitFor();
  await rows.filter({ hasText: 'café' }).waitFor({ state: 'detached' });

  await page.getByRole('button', { name: /Let .*sumer-sale lead to \/summer-sale/ }).click();
  await page.getByText(/sumer-sale now leads where \/summer-sale does/).waitFor();
  await rows.nth(1).waitFor({ state: 'detached' });

  await page.getByRole('link', { name: /Make this link: .*brochure/ }).click();
  expect(await page.getByLabel('Suffix').inputValue()).toBe('brochure');
  expect(await page.getByLabel('Domain', { exact: true }).inputValue()).toBe('');
});

test('without a custom domain the page shows what it is for', async () => {
  const page = await dashboard(await app.createAccount(), '/app/stats?view=not-found');
  await page.getByText('Only for custom domains').waitFor();
  await page.getByRole('link', { name: 'Add a domain' }).click();
  await page.getByRole('heading', { name: 'Domains', exact: true }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/app/domains');
});

test('the last visit is shown as the same day east and west of Greenwich', async () => {
  const owner = await app.createAccount();
  const id = await addDomain(app, owner, 'days.example.org');
  await addVisits(id, 'misprint', 1);
  const day = new Date(today * dayLength).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  });
  const path = '/app/stats?view=not-found';
  for (const page of [
    // In Berlin.
    await dashboard(owner, path),
    await dashboardOf(app, owner, path, { timezoneId: 'America/Los_Angeles' }),
  ]) {
    expect(await page.locator('[data-name="Last visit"]').innerText()).toBe(day);
  }
});
