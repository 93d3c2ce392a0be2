import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { type Newcomer, startApp } from '../support/app.ts';
import { barriersOn, dashboardOf, freshContext } from '../support/browser.ts';
import { appOfSuite } from '../support/browser-suite.ts';
import { pressUntil } from '../support/press.ts';

const app = await appOfSuite();

const field = (page: Page) => page.getByRole('textbox', { name: 'Long URL' });
const rows = (page: Page) => page.locator('.link-row');
const row = (page: Page, suffix: string) => rows(page).filter({ hasText: suffix });
const suffixes = (page: Page): Promise<string[]> => page.locator('.short-text > :last-child').allInnerTexts();
const notice = (page: Page) => page.locator('.notice');

async function link(
  who: Newcomer,
  suffix: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<{ id: number; url: string }> {
  const made = await app.call('POST', '/api/v1/link', {
    key: who.key,
    body: { destination_url: `https://example.com/${suffix}`, suffix, ...more },
  });
  if (made.status !== 201) throw new Error(made.text);
  return made.json;
}

async function tag(who: Newcomer, name: string): Promise<number> {
  const made = await app.call('POST', '/api/v1/tag', { key: who.key, body: { name } });
  if (made.status !== 201) throw new Error(made.text);
  return made.json.id;
}

describe('making links', () => {
  test('a fresh instance leads by keyboard alone to a first link that is copied, works and counts', async () => {
    const fresh = await startApp();
    const context = await freshContext({ permissions: ['clipboard-read', 'clipboard-write'] });
    const page = await context.newPage();
    await page.goto(fresh.url);
    await page.locator('input[type=email]:focus').waitFor();
    await page.keyboard.type('first@example.com');
    await page.keyboard.press('Tab');
    await page.keyboard.type('correct horse battery');
    await page.keyboard.press('Enter');

    await page.locator('#new-link:focus').waitFor();
    await page.getByText('Your first link is one paste away').waitFor();
    await page.keyboard.type('example.com/first?a=b');
    await page.keyboard.press('Enter');

    const card = page.getByRole('region', { name: 'New link', exact: true });
    await card.getByText('Created and copied').waitFor();
    expect(await field(page).inputValue()).toBe('');
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(await card.getByRole('link').first().getAttribute('href')).toBe(copied);
    await card.getByRole('img', { name: /^QR code of / }).waitFor();

    const visit = await fresh.visit(copied);
    expect([visit.status, visit.headers.get('location')]).toEqual([302, 'https://example.com/first?a=b']);
    // No reload: the number in the list goes up by itself.
    await page.locator('.row-clicks', { hasText: '1 click' }).waitFor();
    await page.getByRole('img', { name: '1 click in the last 14 days' }).waitFor();
    await context.close();
    await fresh.stop();
  });

  test('lines become links each; a line that is refused stays in the field with the reason', async () => {
    const who = await app.newcomer();
    const page = await dashboardOf(app, who);
    await field(page).fill('https://example.com/1\nhttps://exa mple.com/2\n\nhttps://example.com/3');
    await page.getByRole('button', { name: 'Create 3 links' }).click();
    const outcome = page.getByRole('region', { name: 'New links' });
    await outcome.getByRole('heading', { name: '2 links created' }).waitFor();
    const lines = outcome.getByRole('listitem');
    expect(await lines.count()).toBe(3);
    expect(await lines.nth(1).innerText()).toContain('https://exa mple.com/2');
    expect(await field(page).inputValue()).toBe('https://exa mple.com/2');
    await rows(page).nth(1).waitFor();
    expect(await rows(page).count()).toBe(2);
    await page.context().close();
  });

  test('more lines than can be made at once are refused in a sentence, and kept', async () => {
    const page = await dashboardOf(app, await app.newcomer());
    await field(page).fill('https://example.com/\n'.repeat(1001));
    await field(page).press('Enter');
    expect(await page.getByRole('alert').innerText()).toBe(
      'At most 1,000 links are made at once; these are 1,001.',
    );
    expect((await field(page).inputValue()).length).toBeGreaterThan(20_000);
    await page.context().close();
  });

  test('a slow answer makes one link however often Enter is pressed, and what is typed meanwhile stays', async () => {
    const who = await app.newcomer();
    const page = await dashboardOf(app, who);
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    await page.route('**/api/v1/link', async (route) => {
      await answered;
      await route.continue();
    });
    await field(page).fill('https://example.com/slow');
    await field(page).press('Enter');
    await field(page).press('Enter');
    await page.locator('.new-link-box button:disabled').waitFor();
    await field(page).fill('https://example.com/next');
    answer();
    await page.getByRole('region', { name: 'New link', exact: true }).waitFor();
    expect(await field(page).inputValue()).toBe('https://example.com/next');
    const { json } = await app.call('GET', '/api/v1/link', { key: who.key });
    expect(json.total_links).toBe(1);
    await page.context().close();
  });

  test('a suffix that is taken says so beside its field, and nothing typed is lost', async () => {
    const who = await app.newcomer();
    await link(who, 'taken-one');
    const page = await dashboardOf(app, who);
    const suffix = page.getByRole('textbox', { name: 'Suffix' });
    await page.getByRole('button', { name: 'Options' }).click();
    await suffix.fill('taken-one');
    await field(page).fill('https://example.com/x');
    await field(page).press('Enter');
    const error = page.locator('.field', { has: suffix }).locator('.error');
    expect(await error.innerText()).toContain('taken-one');
    expect(await suffix.getAttribute('aria-invalid')).toBe('true');
    expect(await field(page).inputValue()).toBe('https://example.com/x');
    await suffix.fill('free-one');
    await suffix.press('Enter');
    await row(page, '/free-one').waitFor();
    await page.context().close();
  });

  test('a tag can be made on the way, by keyboard', async () => {
    const who = await app.newcomer();
    const page = await dashboardOf(app, who);
    await field(page).fill('https://example.com/tagged');
    await page.getByRole('button', { name: 'Options' }).click();
    await page.getByRole('combobox', { name: 'Tags' }).fill('Spring 🌱');
    await page.getByRole('option', { name: 'Create tag “Spring 🌱”' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove tag Spring 🌱' }).waitFor();
    await field(page).press('Enter');
    await row(page, 'Spring 🌱').waitFor();
    const { json } = await app.call('GET', '/api/v1/link', { key: who.key });
    expect(json.links[0].tags.map(({ name }: { name: string }) => name)).toEqual(['Spring 🌱']);
    await page.context().close();
  });

  test('what is typed elsewhere before the empty list comes goes on there', async () => {
    const page = await dashboardOf(app, await app.newcomer(), '/app/nowhere');
    const { promise: typed, resolve: letCome } = Promise.withResolvers<void>();
    await page.route('**/api/v1/link?*', async (route) => {
      await typed;
      await route.continue();
    });
    await page.goto(`${app.url}/app`);
    await page.getByRole('button', { name: 'Options' }).click();
    const suffix = page.getByRole('textbox', { name: 'Suffix' });
    await suffix.pressSequentially('half');
    letCome();
    await page.getByText('Your first link is one paste away').waitFor();
    await page.keyboard.type('-way');
    expect(await suffix.inputValue()).toBe('half-way');
    expect(await field(page).inputValue()).toBe('');
    await page.context().close();
  });

  test('without a network the typed URL is kept, and trying again makes the link', async () => {
    const page = await dashboardOf(app, await app.newcomer());
    await page.context().setOffline(true);
    await field(page).fill('https://example.com/kept');
    await field(page).press('Enter');
    const trouble = page.locator('.new-link').getByRole('alert');
    expect(await trouble.innerText()).toContain("can't be reached");
    expect(await field(page).inputValue()).toBe('https://example.com/kept');
    await page.context().setOffline(false);
    await trouble.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('region', { name: 'New link', exact: true }).waitFor();
    expect(await trouble.count()).toBe(0);
    await page.context().close();
  });

  test('an address pasted beside every field is put into the field', async () => {
    const who = await app.newcomer();
    await link(who, 'beside');
    const page = await dashboardOf(app, who);
    await row(page, '/beside').waitFor();
    await page.evaluate(() => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', 'https://example.com/pasted');
      document.body.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
      );
    });
    await page.locator('#new-link:focus').waitFor();
    expect(await field(page).inputValue()).toBe('https://example.com/pasted');
    await page.context().close();
  });
});

describe('finding links', () => {
  test('search narrows as one types and stands in the address', async () => {
    const who = await app.newcomer();
    for (const suffix of ['find-apple', 'find-pear']) await link(who, suffix);
    const page = await dashboardOf(app, who);
    await row(page, '/find-pear').waitFor();
    await pressUntil(page, '/', page.locator('#search-links:focus'));
    await page.keyboard.type('APPLE');
    await row(page, '/find-pear').waitFor({ state: 'detached' });
    expect(await suffixes(page)).toEqual(['/find-apple']);
    expect(new URL(page.url()).search).toBe('?q=APPLE');
    await page.reload();
    await row(page, '/find-apple').waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('APPLE');
    await page.getByRole('searchbox').fill('nothing like it');
    await page.getByText('No link matches').waitFor();
    await page.getByRole('button', { name: 'Show all links' }).click();
    await row(page, '/find-pear').waitFor();
    expect(new URL(page.url()).search).toBe('');
    await page.context().close();
  });

  test('tags filter together, and their links are sorted as wished', async () => {
    const who = await app.newcomer();
    const [red, large] = [await tag(who, 'red'), await tag(who, 'large')];
    await link(who, 'tags-b', { tags: [red, large] });
    await link(who, 'tags-a', { tags: [red, large] });
    await link(who, 'tags-c', { tags: [red] });
    const page = await dashboardOf(app, who, `/app?tag=${red}`);
    await row(page, '/tags-c').waitFor();
    await page.getByRole('button', { name: 'Remove tag red' }).waitFor();
    const filter = page.getByRole('combobox', { name: 'Filter by tag' });
    await filter.fill('lar');
    await filter.press('Enter');
    await row(page, '/tags-c').waitFor({ state: 'detached' });
    expect(await suffixes(page)).toEqual(['/tags-a', '/tags-b']);
    await page.getByRole('combobox', { name: 'Sort' }).selectOption('Oldest first');
    await page.locator('.link-row:first-child', { hasText: '/tags-b' }).waitFor();
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      tag: `${red},${large}`,
      sort: 'created_at',
    });
    await page.context().close();
  });

  test('a tag that is chosen before the tags are here is taken when they come', async () => {
    const who = await app.newcomer();
    const red = await tag(who, 'red');
    await link(who, 'eager-red', { tags: [red] });
    await link(who, 'eager-plain');
    const page = await dashboardOf(app, who);
    await row(page, '/eager-plain').waitFor();
    const { promise: typed, resolve: letCome } = Promise.withResolvers<void>();
    await page.route('**/api/v1/tag', async (route) => {
      await typed;
      await route.continue();
    });
    const filter = page.getByRole('combobox', { name: 'Filter by tag' });
    await filter.fill('re');
    await filter.press('Enter');
    letCome();
    await row(page, '/eager-plain').waitFor({ state: 'detached' });
    expect(await suffixes(page)).toEqual(['/eager-red']);
    await page.context().close();
  });

  test('an address that says nonsense shows what can be shown', async () => {
    const who = await app.newcomer();
    await link(who, 'nonsense');
    const page = await dashboardOf(app, who, '/app?page=-2&size=7&sort=evil&tag=x,%00,-1&before=no&domain=');
    await row(page, '/nonsense').waitFor();
    await page.goto(`${app.url}/app?page=999999999999999`);
    await page.getByRole('button', { name: 'Show the first page' }).click();
    await row(page, '/nonsense').waitFor();
    await page.goto(`${app.url}/app?tag=999999`);
    await page.getByRole('button', { name: 'Remove tag Tag 999999' }).click();
    await row(page, '/nonsense').waitFor();
    await page.context().close();
  });

  test('pages stand in the address, and stay put while links are made', async () => {
    const who = await app.newcomer();
    for (let at = 0; at < 60; at++) await link(who, `page-${String(at).padStart(2, '0')}`);
    const page = await dashboardOf(app, who);
    await row(page, '/page-59').waitFor();
    expect(await page.getByRole('navigation', { name: 'Pages' }).innerText()).toContain('1–25 of 60');
    await link(who, 'page-new');
    await page.getByRole('button', { name: 'Next page' }).click();
    await row(page, '/page-34').waitFor();
    const second = await suffixes(page);
    expect([second[0], second.at(-1)]).toEqual(['/page-34', '/page-10']);
    expect(new URL(page.url()).searchParams.get('page')).toBe('2');
    await page.goBack();
    await row(page, '/page-59').waitFor();
    await page.getByRole('textbox', { name: 'Page', exact: true }).fill('3');
    await page.keyboard.press('Enter');
    await row(page, '/page-00').waitFor();
    await page.getByRole('combobox', { name: 'a page' }).selectOption('100');
    await row(page, '/page-new').waitFor();
    expect(await rows(page).count()).toBe(61);
    await page.context().close();
  });
});

describe('trouble', () => {
  test('a list that does not come says so, offers to try again, and the field stays in use', async () => {
    const who = await app.newcomer();
    await link(who, 'comes-later');
    const page = await dashboardOf(app, who);
    await page.route('**/api/v1/link?*', (route) =>
      route.fulfill({
        status: 503,
        json: { status_code: 503, error_code: 'STORE_AWAY', error_string: 'The database is away.' },
      }),
    );
    await page.reload();
    const trouble = page.getByRole('alert').filter({ hasText: 'The database is away.' });
    await trouble.waitFor();
    await field(page).fill('https://example.com/meanwhile');
    await page.unroute('**/api/v1/link?*');
    await trouble.getByRole('button', { name: 'Try again' }).click();
    await row(page, '/comes-later').waitFor();
    expect(await field(page).inputValue()).toBe('https://example.com/meanwhile');
    await page.context().close();
  });

  test('what is typed while the list comes in is not taken away', async () => {
    const who = await app.newcomer();
    await link(who, 'two words', { suffix: 'typed-on', name: 'two words' });
    const page = await dashboardOf(app, who);
    const box = page.getByRole('searchbox');
    await box.pressSequentially('two ');
    await page.waitForURL(/\?q=two$/);
    await box.pressSequentially('words');
    await page.waitForURL(/\?q=two\+words$/);
    expect(await box.inputValue()).toBe('two words');
    await row(page, '/typed-on').waitFor();
    await page.context().close();
  });
});

describe('own domains', () => {
  test('are offered when there is one that is verified, to make links on and to filter by', async () => {
    const who = await app.newcomer();
    await link(who, 'on-the-own-host');
    const page = await dashboardOf(app, who);
    expect(await page.getByRole('combobox', { name: 'Filter by domain' }).count()).toBe(0);
    const domain = (at: number, name: string, state: string) => ({
      ...{ id: at, domain: name, domain_unicode: name.replace('xn--bcher-kva', 'bücher'), state },
      ...{ created_at: '', verified_at: null, checked_at: null, links: 0, root_url: null },
      ...{ not_found_url: null, records: [], problem: null },
    });
    await page.route('**/api/v1/domain', (route) =>
      route.fulfill({
        json: [domain(1, 'xn--bcher-kva.example', 'verified'), domain(2, 'later.example', 'pending')],
      }),
    );
    await page.reload();
    const filter = page.getByRole('combobox', { name: 'Filter by domain' });
    await filter.waitFor();
    await page.route('**/api/v1/link?*', async (route) => {
      const answer = await route.fetch();
      const body = await answer.text();
      await route.fulfill({ body: body.replaceAll(app.url, 'https://xn--bcher-kva.example') });
    });
    await page.reload();
    await row(page, 'bücher.example/on-the-own-host').waitFor();
    await page.unroute('**/api/v1/link?*');
    await page.reload();
    await filter.waitFor();
    const own = new URL(app.url).host;
    expect(await filter.locator('option').allInnerTexts()).toEqual(['Any domain', own, 'bücher.example']);
    await filter.selectOption('bücher.example');
    await page.getByText('No link matches').waitFor();
    await filter.selectOption(own);
    await row(page, '/on-the-own-host').waitFor();
    expect(new URL(page.url()).searchParams.get('domain')).toBe(own);

    await page.getByRole('button', { name: 'Options' }).click();
    await page.getByRole('combobox', { name: 'Domain', exact: true }).selectOption('bücher.example');
    const [sent] = await Promise.all([
      page.waitForRequest((request) => request.method() === 'POST'),
      field(page).fill('https://example.com/there'),
      field(page).press('Enter'),
    ]);
    expect(sent.postDataJSON()).toMatchObject({ domain: 'xn--bcher-kva.example' });
    // It is not verified in truth: what the API says stands beside the field.
    await page.locator('.new-link-options .error').waitFor();
    await page.context().close();
  });
});

describe('many links at once', () => {
  test('are selected as a range, tagged with a new tag, untagged, deleted, and brought back', async () => {
    const who = await app.newcomer();
    for (const at of [1, 2, 3, 4, 5]) await link(who, `many-${at}`);
    const page = await dashboardOf(app, who);
    await page.getByRole('checkbox', { name: /many-4/ }).click();
    await page.getByRole('checkbox', { name: /many-2/ }).click({ modifiers: ['Shift'] });
    const bar = page.getByRole('group', { name: 'Selected links' });
    expect(await bar.innerText()).toContain('3 selected');

    await bar.getByRole('button', { name: 'Tag', exact: true }).click();
    const dialog = page.getByRole('dialog');
    // Escape closes what is offered first, and the dialog only when nothing is.
    await dialog.getByRole('combobox').press('ArrowDown');
    await dialog.getByRole('combobox').press('Escape');
    expect(await dialog.getByRole('combobox').getAttribute('aria-expanded')).toBe('false');
    await dialog.getByRole('combobox').fill('Autumn');
    await dialog.getByRole('option', { name: 'Create tag “Autumn”' }).click();
    await dialog.getByRole('button', { name: 'Tag 3 links' }).click();
    await row(page, 'Autumn').nth(2).waitFor();
    expect(await row(page, 'Autumn').count()).toBe(3);

    await bar.getByRole('button', { name: 'Untag' }).click();
    await dialog.getByRole('checkbox', { name: /Autumn/ }).check();
    await dialog.getByRole('button', { name: 'Remove 1 tag' }).click();
    await row(page, 'Autumn').first().waitFor({ state: 'detached' });

    await page.keyboard.press('Delete');
    await notice(page).getByText('3 links deleted.').waitFor();
    expect(await suffixes(page)).toEqual(['/many-5', '/many-1']);
    expect((await app.visit('/many-3')).status).toBe(404);
    await notice(page).getByRole('button', { name: 'Undo' }).click();
    await row(page, '/many-3').waitFor();
    expect(await suffixes(page)).toEqual(['/many-5', '/many-4', '/many-3', '/many-2', '/many-1']);
    expect((await app.visit('/many-3')).status).toBe(302);
    await page.context().close();
  });

  test('that the server does not delete come back with a sentence', async () => {
    const who = await app.newcomer();
    await link(who, 'stays-here');
    const page = await dashboardOf(app, who);
    await page.route('**/api/v1/link/bulk_delete', (route) => route.abort());
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await page.getByRole('button', { name: 'Delete 1 link' }).click();
    await page.getByRole('alert').getByText('The link was not deleted.').waitFor();
    await row(page, '/stays-here').waitFor();
    await page.unroute('**/api/v1/link/bulk_delete');
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click();
    await notice(page).getByText('/stays-here deleted.').waitFor();
    await page.context().close();
  });

  test('that somebody else deleted meanwhile are not brought back by Undo', async () => {
    const who = await app.newcomer();
    const theirs = await link(who, 'undo-theirs');
    await link(who, 'undo-mine');
    const page = await dashboardOf(app, who);
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await app.call('DELETE', `/api/v1/link/${theirs.id}`, { key: who.key });
    await page.getByRole('button', { name: 'Delete 2 links' }).click();
    await notice(page).getByText('1 link deleted.').waitFor();
    await notice(page).getByRole('button', { name: 'Undo' }).click();
    await row(page, '/undo-mine').waitFor();
    await notice(page).getByText('1 link brought back.').waitFor();
    expect(await suffixes(page)).toEqual(['/undo-mine']);
    await page.context().close();
  });

  test('are exported: those that are selected, or all that match', async () => {
    const who = await app.newcomer();
    for (const suffix of ['csv-one', 'csv-two', 'other']) await link(who, suffix);
    const page = await dashboardOf(app, who, '/app?q=csv');
    await row(page, '/csv-one').waitFor();
    const exported = async (name: string) => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name }).click(),
      ]);
      const text = await Bun.file(await download.path()).text();
      return ['csv-one', 'csv-two', 'other'].filter((suffix) => text.includes(`/${suffix}`));
    };
    expect(await exported('Export as CSV')).toEqual(['csv-one', 'csv-two']);
    await page.getByRole('checkbox', { name: /csv-two/ }).check();
    expect(await exported('Export')).toEqual(['csv-two']);
    await page.context().close();
  });
});

describe('by keyboard', () => {
  test('one walks the rows, selects, deletes, opens, and sees what can be pressed', async () => {
    const who = await app.newcomer();
    for (const at of [1, 2, 3]) await link(who, `keys-${at}`);
    const page = await dashboardOf(app, who);
    await row(page, '/keys-3').waitFor();
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    await pressUntil(page, 'j', row(page, '/keys-3').locator('[data-row-link]:focus'));
    for (const key of ['j', 'j', 'k']) await page.keyboard.press(key);
    expect(await focused()).toEndWith('/keys-2');
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.keyboard.press('X');
    expect(await page.locator('.link-row.chosen').count()).toBe(2);
    await page.keyboard.press('Escape');
    expect(await page.locator('.link-row.chosen').count()).toBe(0);
    await page.keyboard.press('k');
    await page.keyboard.press('Delete');
    await notice(page).getByText('/keys-2 deleted.').waitFor();
    // The focus is on what moved up, so that one goes on from there.
    expect(await focused()).toEndWith('/keys-1');
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Select all links up to this one').waitFor();
    await page.keyboard.press('Escape');
    await row(page, '/keys-1').locator('[data-row-link]:focus').waitFor();
    await page.keyboard.press('c');
    await page.locator('#new-link:focus').waitFor();
    await page.locator('[data-row-link]').first().focus();
    await page.keyboard.press('e');
    await page.waitForURL(/\/app\/links\/\d+$/);
    await page.context().close();
  });
});

describe('for everybody', () => {
  for (const [name, options] of [
    ['light', { colorScheme: 'light' }],
    ['on a phone, dark', { colorScheme: 'dark', viewport: { width: 390, height: 1000 }, hasTouch: true }],
  ] as const) {
    test(`no barrier is found in an empty list, a full one, and what opens from it: ${name}`, async () => {
      const who = await app.newcomer();
      const page = await dashboardOf(app, who, '/app', options);
      await page.getByText('Your first link is one paste away').waitFor();
      expect(await barriersOn(page)).toEqual([]);
      await field(page).fill('https://example.com/made');
      await field(page).press('Enter');
      await page.getByRole('region', { name: 'New link', exact: true }).waitFor();
      await link(who, `all-${who.userId}`, {
        password: 'open sesame',
        captcha: true,
        bot_protection: true,
        expiration_date: '2020-01-01',
        name: 'קישור לאתר',
        tags: [await tag(who, 'print')],
      });
      await page.reload();
      await row(page, 'print').waitFor();
      await page.getByRole('button', { name: 'Options' }).click();
      await page.getByRole('combobox', { name: 'Tags', exact: true }).click();
      await page.getByRole('option', { name: 'print' }).waitFor();
      expect(await barriersOn(page)).toEqual([]);
      await page.getByRole('button', { name: 'Options' }).click();
      await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
      await row(page, 'print').hover();
      await row(page, 'print')
        .getByRole('button', { name: /^More about / })
        .click();
      expect(await barriersOn(page)).toEqual([]);
      await page.getByRole('button', { name: 'Show QR code' }).click();
      await page.getByRole('dialog').waitFor();
      expect(await barriersOn(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Tag', exact: true }).click();
      expect(await barriersOn(page)).toEqual([]);
      const width = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(width).toBeLessThanOrEqual(0);
      await page.context().close();
    });
  }

  test('scripts in names, tags, destinations and searches run nowhere', async () => {
    const who = await app.newcomer();
    const payloads = [
      '<img src=x onerror="globalThis.ran=1">',
      '"><script>globalThis.ran=1</script>',
      "';globalThis.ran=1;//",
      '<svg onload=globalThis.ran=1>',
      '{{constructor.constructor("globalThis.ran=1")()}}',
    ];
    for (const [at, payload] of payloads.entries()) {
      await link(who, `script-${at}`, {
        destination_url: `https://example.com/?x=${payload}`,
        name: payload,
        tags: [await tag(who, payload)],
      });
    }
    const page = await dashboardOf(app, who, `/app?q=${encodeURIComponent(payloads[0] ?? '')}`);
    await page.getByRole('searchbox').fill('script-');
    await rows(page).nth(4).waitFor();
    for (const payload of payloads) {
      expect(await page.getByText(payload, { exact: true }).count()).toBeGreaterThan(0);
    }
    await page.getByRole('combobox', { name: 'Filter by tag' }).click();
    await page.getByRole('option').nth(4).waitFor();
    await page.keyboard.press('Escape');
    await field(page).fill(`javascript:globalThis.ran=1`);
    await field(page).press('Enter');
    await page.locator('.new-link-foot').getByRole('alert').waitFor();
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await page.getByRole('button', { name: 'Untag' }).click();
    await page.getByRole('dialog').getByRole('checkbox').nth(4).waitFor();
    expect(await page.evaluate(() => 'ran' in globalThis)).toBe(false);
    await page.context().close();
  });
});
