import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appOfSuite } from '../support/browser-suite.ts';
import { twoNetworkFile } from '../support/country-file.ts';
import { followLink } from './follow-link.ts';
import { bar, card, statsOf, title } from './stats-pages.ts';

const folder = mkdtempSync(join(tmpdir(), 'linnet-stats-places-'));
afterAll(() => rmSync(folder, { recursive: true }));
const COUNTRY_FILE = join(folder, 'cities.mmdb');
const cityOf = (country: string, region: string, city: string) => ({
  country: { iso_code: country },
  subdivisions: [{ iso_code: region }],
  city: { names: { en: city } },
});
writeFileSync(COUNTRY_FILE, twoNetworkFile(cityOf('US', 'IL', 'Springfield'), cityOf('DE', 'BY', 'Munich')));
const app = await appOfSuite({ env: { COUNTRY_FILE, TRUSTED_PROXIES: '1' } });
const { newFixture, openBoard } = statsOf(app);

test('clicks are shown and filtered by city, by region and by the address of the link', async () => {
  const moved = await newFixture();
  const oldUrl = new URL(moved.link.url);
  for (let visit = 0; visit < 3; visit++) await moved.visit();
  const suffix = `moved-${moved.link.id}`;
  const { status } = await app.call('PATCH', `/api/v1/link/${moved.link.id}`, {
    key: moved.owner.key,
    body: { suffix },
  });
  expect(status).toBe(200);
  await moved.visit();
  await moved.visit({ country: 'US', headers: { 'x-forwarded-for': '9.9.9.9' } });
  await app.app.clicks.settled();

  const page = await openBoard(moved);
  await title(page).filter({ hasText: '5 clicks in 30 days' }).waitFor();
  await bar(page, 'Regions and cities', /^Munich, BY, Germany/).waitFor();
  await bar(page, 'Regions and cities', /^Springfield, IL, United States/).click();
  await title(page).filter({ hasText: '1 click in 30 days' }).waitFor();
  expect(new URL(page.url()).searchParams.get('city')).toBe('US-IL/Springfield');
  await page.getByRole('button', { name: /^City Springfield, IL, United States/ }).click();

  await page.getByRole('button', { name: 'Export as CSV' }).click();
  const items = page.locator('.menu-list');
  for (const name of ['Regions', 'Cities', 'Addresses'])
    await items.getByText(name, { exact: true }).waitFor();
  expect(await items.getByText('Variants', { exact: true }).count()).toBe(0);
  await page.keyboard.press('Escape');

  await card(page, 'Regions and cities').getByRole('button', { name: 'Regions', exact: true }).click();
  await bar(page, 'Regions and cities', /^BY, Germany/).waitFor();
  await bar(page, 'Addresses', new RegExp(`^Own address, now .*/${suffix}`)).waitFor();
  const alias = `${oldUrl.hostname}${oldUrl.pathname}`;
  await bar(page, 'Addresses', new RegExp(`^${RegExp.escape(alias)}`)).click();
  await title(page).filter({ hasText: '2 clicks in 30 days' }).waitFor();
  expect(new URL(page.url()).searchParams.get('address')).toBe(alias);

  await followLink(page, `/app/links/${moved.link.id}/visits`);
  const hits = page.locator('table.hits tbody tr');
  await hits
    .filter({ hasText: 'Springfield, United States' })
    .filter({ hasText: `By ${alias}` })
    .waitFor();
  expect(await hits.filter({ hasText: 'Munich, Germany' }).count()).toBe(4);
});
