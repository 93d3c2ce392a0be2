import { expect, test } from 'bun:test';
import { accessibilityViolations, dashboardOf } from '../support/browser.ts';
import { appOfSuite } from '../support/browser-suite.ts';
import { seedHits } from '../support/hits.ts';
import { followLink } from './follow-link.ts';
import { dashboardsInOnePage } from './one-page.ts';

const app = await appOfSuite();
const open = dashboardsInOnePage(app);

async function createFloodedLink() {
  const owner = await app.createAccount();
  const body = { destination_url: 'https://example.com' };
  const link = (await app.call('POST', '/api/v1/link', { key: owner.key, body })).json;
  const hit = { link: link.id, organization: owner.organizationId, country: 'DE' };
  const at = (minutes: number) => Date.now() - minutes * 60_000;
  await seedHits(app.app.context.database, [
    ...[3, 4, 5].map((minutes) => ({ ...hit, at: at(minutes), class: 'flood', reason: 'flood' }) as const),
    ...[6, 7].map((minutes) => ({ ...hit, at: at(minutes) })),
  ]);
  return { owner, link, path: `/app/links/${link.id}/stats?range=24h` };
}

test('the hits of a flood are counted as clicks, moved back and erased, and every correction is described', async () => {
  const { owner, path } = await createFloodedLink();
  const page = await open(owner, path);
  const waitForTitle = (text: string) => page.getByRole('heading', { name: text }).waitFor();
  await waitForTitle('2 clicks in 24 hours');
  await page.getByRole('button', { name: 'Count these as clicks' }).click();
  await waitForTitle('5 clicks in 24 hours');
  const corrections = page.getByRole('region', { name: 'Corrections' });
  await corrections.getByText('3 hits moved from flood to clicks').waitFor();
  await corrections.getByText(owner.email).waitFor();
  await corrections.getByRole('button', { name: 'Take back' }).click();
  await corrections.getByText('3 hits moved back from clicks to flood').waitFor();
  await waitForTitle('2 clicks in 24 hours');
  expect(await corrections.getByRole('button', { name: 'Take back' }).count()).toBe(0);

  await corrections.getByRole('button', { name: 'Erase clicks' }).click();
  const dialog = page.getByRole('dialog', { name: 'Erase clicks of this link' });
  await dialog.getByText('5 hits go, 2 of them clicks.').waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  await dialog.getByLabel('From').fill('2020-01-01');
  await dialog.getByLabel('To').fill('2020-01-02');
  await dialog.getByText('There are no hits to erase.').waitFor();
  expect(await dialog.getByRole('button', { name: 'Erase', exact: true }).isDisabled()).toBe(true);
  await dialog.getByRole('button', { name: 'All of them' }).click();
  await dialog.getByRole('button', { name: 'Erase 5 hits' }).click();
  await corrections.getByText('5 hits erased').waitFor();
  await waitForTitle('No clicks in 24 hours');
});

test('clicks of all links are erased on the page of the organization', async () => {
  const { owner } = await createFloodedLink();
  const page = await open(owner, '/app/organization');
  const section = page.getByRole('region', { name: 'Erase clicks' });
  await section.getByRole('button', { name: 'Erase clicks' }).click();
  const dialog = page.getByRole('dialog', { name: 'Erase clicks of all links' });
  await dialog.getByRole('button', { name: 'Erase 5 hits' }).click();
  await section.getByText('5 hits erased').waitFor();
  const { json } = await app.call('GET', '/api/v1/clicks?class=all', { key: owner.key });
  expect(json.total_clicks).toBe(0);
});

test('days whose hits are no longer kept are erased also where they begin within an hour', async () => {
  const owner = await app.createAccount();
  const link = await app.createLink(owner);
  const { database } = app.app.context;
  const hit = { link: link.id, organization: owner.organizationId };
  // In Kolkata 00:15 and 12:00 on 5 January, and 12:00 on the next day.
  const times = ['2025-01-04T18:45:00Z', '2025-01-05T06:30:00Z', '2025-01-06T06:30:00Z'];
  await seedHits(
    database,
    times.map((at) => ({ ...hit, at })),
  );
  await database.write((queries) =>
    queries.deleteFrom('hits').where('at', '<', Date.parse('2026-01-01T00:00:00Z')).execute(),
  );
  const path = `/app/links/${link.id}/stats?range=2025-01-05..2025-01-05`;
  const page = await dashboardOf(app, owner, path, { timezoneId: 'Asia/Kolkata' });
  await page.getByRole('heading', { name: '2 clicks on 5 Jan 2025' }).waitFor();
  await page.getByRole('button', { name: 'Erase clicks' }).click();
  await page.getByRole('button', { name: 'Erase 2 hits' }).click();
  await page.getByText('2 hits erased.').waitFor();
  await page.getByRole('heading', { name: 'No clicks on 5 Jan 2025' }).waitFor();
  const { json } = await app.call('GET', `/api/v1/link/${link.id}`, { key: owner.key });
  expect(json.clicks).toBe(1);
});

test('older corrections are listed on request', async () => {
  const { owner, link, path } = await createFloodedLink();
  const classes = ['human', 'bot', 'repeat'];
  for (let turn = 0; turn < 12; turn++) {
    const body = { class: classes[turn % 3], to_class: classes[(turn + 1) % 3] };
    await app.call('PATCH', `/api/v1/link/${link.id}/clicks/reclassify`, { key: owner.key, body });
  }
  const page = await open(owner, path);
  const corrections = page.getByRole('region', { name: 'Corrections' });
  const moves = corrections.getByText(/^2 hits moved/);
  await moves.nth(9).waitFor();
  expect(await moves.count()).toBe(10);
  await corrections.getByRole('button', { name: 'Show older corrections' }).click();
  await moves.nth(11).waitFor();
  expect(await corrections.getByRole('button', { name: 'Show older corrections' }).count()).toBe(0);
});

test('while the corrections can not be loaded, none is said to be missing', async () => {
  const { owner, path } = await createFloodedLink();
  const page = await open(owner, '/app/tags');
  await page.route('**/clicks/corrections*', (route) => route.abort());
  await followLink(page, path);
  const corrections = page.getByRole('region', { name: 'Corrections' });
  await corrections.getByText("Linnet can't be reached.").waitFor();
  const none = corrections.getByText('No clicks have been erased or moved');
  expect(await none.count()).toBe(0);
  await page.unroute('**/clicks/corrections*');
  await corrections.getByRole('button', { name: 'Try again' }).click();
  await none.waitFor();
});

test('if the hits to erase can not be counted, the dialog says why, and counts them on retry', async () => {
  const { owner } = await createFloodedLink();
  const page = await open(owner, '/app/organization');
  const section = page.getByRole('region', { name: 'Erase clicks' });
  await section.getByRole('button', { name: 'Erase clicks' }).click({ trial: true });
  await page.context().setOffline(true);
  await section.getByRole('button', { name: 'Erase clicks' }).click();
  const dialog = page.getByRole('dialog', { name: 'Erase clicks of all links' });
  await dialog.getByText("Linnet can't be reached.").waitFor();
  expect(await dialog.getByRole('button', { name: 'Erase', exact: true }).isDisabled()).toBe(true);
  await page.context().setOffline(false);
  await dialog.getByRole('button', { name: 'Try again' }).click();
  await dialog.getByText('5 hits go, 2 of them clicks.').waitFor();
  await dialog.getByRole('button', { name: 'Some days' }).click();
  await dialog.getByLabel('From').fill('');
  await dialog.getByText('Choose both days.').waitFor();
  expect(await dialog.getByRole('button', { name: 'Erase', exact: true }).isDisabled()).toBe(true);
});
