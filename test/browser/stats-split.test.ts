import { expect, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { bar, card, startStatsApp, statsOf, title, waitUntilLoaded } from './stats-pages.ts';

const app = await startStatsApp();
const { newFixture, openBoard } = statsOf(app);

test('a split shows the share of each variant and its uncertainty, and rules have their current names', async () => {
  const variants = [
    { id: 'a', destination_url: 'https://example.com/a', weight: 50 },
    { id: 'b', destination_url: 'https://example.com/b', weight: 50 },
  ];
  const split = await newFixture({
    rules: [
      { id: 'r_split', name: 'Which page sells more', when: { query: { ad: [] } }, variants },
      { id: 'r_gone', when: { query: { old: [] } }, destination_url: 'https://example.com/old' },
    ],
  });
  for (let visit = 0; visit < 12; visit++) await split.visit({ query: '?ad' });
  await split.visit({ query: '?old' });
  await split.visit();
  await app.app.clicks.settled();
  const { groups } = await split.stats('group_by=variant');
  const clicksOfA = groups.find(({ value }) => value === 'r_split/a')?.clicks ?? 0;
  await app.call('PATCH', `/api/v1/link/${split.link.id}`, {
    key: split.owner.key,
    body: {
      rules: [{ id: 'r_split', name: 'Which page sells more', when: { query: { ad: [] } }, variants }],
    },
  });

  const page = await openBoard(split);
  await title(page).filter({ hasText: '14 clicks in 30 days' }).waitFor();
  const shares = card(page, 'Splits');
  await shares.getByText('Which page sells more').waitFor();
  const share = (await shares.locator('li').first().innerText()).replaceAll('\u00a0', ' ');
  const percent = ((clicksOfA / 12) * 100).toFixed(1);
  expect(share).toStartWith(`a: ${percent} % of 12 visitors, likely between `);
  await bar(page, 'Rules', /^r_gone/).waitFor();
  await waitUntilLoaded(page);
  // Without a city database and without aliases, these cards aren't shown.
  for (const name of ['Regions and cities', 'Addresses']) expect(await card(page, name).count()).toBe(0);
  await page.getByRole('button', { name: 'Export as CSV' }).click();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.locator('.menu-list').getByText('Variants', { exact: true }).click(),
  ]);
  expect(await readFile(await file.path(), 'utf8')).toContain(
    `r_split/a,Which page sells more: a,${clicksOfA}\r\n`,
  );
  await bar(page, 'Rules', /^Which page sells more/).click();
  await title(page).filter({ hasText: '12 clicks in 30 days' }).waitFor();
  expect(new URL(page.url()).searchParams.get('rule')).toBe('r_split');

  // What the rules have done can be seen without them.
  await app.call('PATCH', `/api/v1/link/${split.link.id}`, { key: split.owner.key, body: { rules: [] } });
  await page.goto(`${app.url}/app/links/${split.link.id}/stats`);
  await bar(page, 'Rules', /^r_split/).waitFor();
  await bar(page, 'Rules', /^r_gone/).waitFor();
});
