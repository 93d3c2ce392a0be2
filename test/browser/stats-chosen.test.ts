import { expect, test } from 'bun:test';
import { accessibilityViolations } from '../support/browser.ts';
import { followLink } from './follow-link.ts';
import { startStatsApp, statsOf, title, waitUntilLive } from './stats-pages.ts';

const app = await startStatsApp();
const { newFixture, dashboard } = statsOf(app);

test('the board of all links is narrowed to those of a tag, or to those chosen in the list', async () => {
  const tagged = await newFixture();
  const key = tagged.owner.key;
  const post = (path: string, body: object) => app.call('POST', `/api/v1${path}`, { key, body });
  const tag = (await post('/tag', { name: 'spring' })).json;
  await app.call('PATCH', `/api/v1/link/${tagged.link.id}`, { key, body: { add_tags: [tag.id] } });
  const plain = (await post('/link', { destination_url: 'https://example.com/plain' })).json;
  await post('/link', { destination_url: 'https://example.com/tagged', tags: [tag.id] });
  await tagged.visit();
  await tagged.visit({ country: 'FR' });
  await app.visit(new URL(plain.url).pathname, { 'x-forwarded-for': '203.0.113.9', 'cf-ipcountry': 'DE' });
  await app.app.clicks.settled();

  const page = await dashboard(tagged.owner, '/app/stats');
  const waitForTitle = (text: string) => title(page).filter({ hasText: text }).waitFor();
  await waitForTitle('3 clicks in 30 days');
  await page.getByLabel('Filter by tag').fill('spr');
  await page.getByRole('option', { name: /spring/ }).click();
  await waitForTitle('2 clicks in 30 days');
  expect(new URL(page.url()).searchParams.get('tag')).toBe(String(tag.id));
  expect(await page.locator('.board-head').innerText()).toContain('a visitor of two of them counts twice');
  await followLink(page, '/app');
  await page.getByRole('checkbox', { name: new RegExp(plain.suffix) }).check();
  await page.getByRole('link', { name: 'Statistics' }).last().click();
  await waitForTitle('1 click in 30 days');
  await page.getByRole('button', { name: /1 chosen link/ }).click();
  await waitForTitle('3 clicks in 30 days');
});

test('the live view is limited to the same links, and so is its export', async () => {
  const tagged = await newFixture();
  const { key } = tagged.owner;
  const tag = (await app.call('POST', '/api/v1/tag', { key, body: { name: 'spring' } })).json;
  await app.call('PATCH', `/api/v1/link/${tagged.link.id}`, { key, body: { add_tags: [tag.id] } });
  const body = { destination_url: 'https://example.com/plain' };
  const plain = (await app.call('POST', '/api/v1/link', { key, body })).json;
  const visitPlain = (address: string) =>
    app.visit(new URL(plain.url).pathname, { 'x-forwarded-for': address, 'cf-ipcountry': 'DE' });
  await tagged.visit();
  await visitPlain('203.0.113.1');
  await app.app.clicks.settled();

  const page = await dashboard(tagged.owner, '/app/stats?view=live');
  const waitForClicks = (clicks: string) => page.getByText(`${clicks} in all.`).waitFor();
  await waitForClicks('2 clicks');
  await page.getByLabel('Filter by tag').fill('spr');
  await page.getByRole('option', { name: /spring/ }).click();
  await waitForClicks('1 click');
  await waitUntilLive(page);
  const address = await page.getByRole('link', { name: 'Export as CSV' }).getAttribute('href');
  expect(new URL(address ?? '', app.url).searchParams.get('tag')).toBe(String(tag.id));
  await visitPlain('203.0.113.2');
  await tagged.visit({ country: 'FR' });
  await waitForClicks('2 clicks');
  expect(await page.locator('tbody tr').count()).toBe(2);
  await page.getByRole('link', { name: 'Overview' }).click();
  await title(page).filter({ hasText: '2 clicks in 30 days' }).waitFor();
  await page.getByRole('link', { name: 'Live' }).click();
  await page.getByRole('button', { name: 'Remove tag spring' }).click();
  await waitForClicks('4 clicks');
});

test('an address with a deleted tag, link or domain says what is gone, and leads to the statistics of all links', async () => {
  const { owner, link } = await newFixture();
  const { key } = owner;
  const tag = (await app.call('POST', '/api/v1/tag', { key, body: { name: 'spring' } })).json;
  const body = { destination_url: 'https://example.com/plain' };
  const plain = (await app.call('POST', '/api/v1/link', { key, body })).json;
  await app.call('DELETE', `/api/v1/tag/${tag.id}`, { key });
  await app.call('DELETE', `/api/v1/link/${plain.id}`, { key });
  const page = await dashboard(owner, '/app/stats');
  // The three differ in a heading and a sentence, so that two checks for accessibility are enough.
  for (const [query, gone, checkedView] of [
    [`tag=${tag.id}`, 'A tag in this address is gone', ''],
    [`ids=${link.id},${plain.id}`, 'A link in this address is gone', '&view=live'],
    ['domain=gone.example.com', 'The domain in this address is gone', null],
  ] as const)
    for (const view of ['', '&view=live']) {
      await followLink(page, `/app/stats?${query}${view}`);
      await page.getByRole('heading', { name: gone }).waitFor();
      expect(await page.locator('main').innerText()).not.toMatch(/GET \/api|Leave it out|Try again/);
      if (view === checkedView) expect(await accessibilityViolations(page)).toEqual([]);
      // A board of all links takes a third of a second of CPU, so that it is opened once.
      if (view === '' && !query.startsWith('tag')) continue;
      await page.getByRole('button', { name: 'Show all links', exact: true }).click();
      await page
        .getByText(/^(?:No clicks in 30 days|0 clicks in all\.)/)
        .first()
        .waitFor();
    }
  await followLink(page, `/app/links/${plain.id}/stats`);
  await page.getByRole('link', { name: 'Deleted links' }).click();
  await page.getByText('example.com/plain').waitFor();
});
