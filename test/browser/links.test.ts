import { describe, expect, test } from 'bun:test';
import { startApp } from '../support/app.ts';
import { freshContext } from '../support/browser.ts';
import { appOfSuite } from '../support/browser-suite.ts';
import { pressUntil } from '../support/press-until.ts';
import { followLink } from './follow-link.ts';
import { holdBack } from './held-requests.ts';
import { linksOf, longUrlField, pasteOutside, row, rows, suffixes } from './link-list.ts';
import { dashboardsInOnePage } from './one-page.ts';

const app = await appOfSuite();
const dashboard = dashboardsInOnePage(app);
const { createLink, createTag } = linksOf(app);

describe('creating links', () => {
  test('on a fresh instance, a first link is created by keyboard alone, copied, and its visit is counted', async () => {
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
    expect(await longUrlField(page).inputValue()).toBe('');
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(await card.getByRole('link').first().getAttribute('href')).toBe(copied);
    await card.getByRole('img', { name: /^QR code of / }).waitFor();

    const visit = await fresh.visit(copied);
    expect([visit.status, visit.headers.get('location')]).toEqual([302, 'https://example.com/first?a=b']);
    // The number in the list goes up without a reload.
    await page.locator('.row-clicks', { hasText: '1 click' }).waitFor();
    await page.getByRole('img', { name: '1 click in the last 14 days' }).waitFor();
    await context.close();
    await fresh.stop();
  });

  test('each line becomes a link; a refused line stays in the field with the reason, and leaves no unhandled error', async () => {
    const page = await dashboard(await app.createAccount());
    const errors: Error[] = [];
    page.on('pageerror', (error) => errors.push(error));
    await longUrlField(page).fill('https://example.com/1\nhttps://exa mple.com/2\n\nhttps://example.com/3');
    await page.getByRole('button', { name: 'Create 3 links' }).click();
    const outcome = page.getByRole('region', { name: 'New links' });
    await outcome.getByRole('heading', { name: '2 links created' }).waitFor();
    const lines = outcome.getByRole('listitem');
    expect(await lines.count()).toBe(3);
    expect(await lines.nth(1).innerText()).toContain('https://exa mple.com/2');
    expect(await longUrlField(page).inputValue()).toBe('https://exa mple.com/2');
    await rows(page).nth(1).waitFor();
    expect(await rows(page).count()).toBe(2);
    await longUrlField(page).press('Enter');
    await page.getByRole('alert').waitFor();
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
    expect(errors).toEqual([]);
  });

  test('too many lines are refused with a message, and kept', async () => {
    const page = await dashboard(await app.createAccount());
    // As `fill` does, without an editing command, which takes a second and a half of CPU for so many lines.
    await longUrlField(page).evaluate((field: HTMLTextAreaElement) => {
      field.value = 'https://example.com/\n'.repeat(1001);
      field.dispatchEvent(new InputEvent('input', { bubbles: true }));
    });
    await longUrlField(page).press('Enter');
    expect(await page.getByRole('alert').innerText()).toBe(
      'At most 1,000 links are created at once; these are 1,001.',
    );
    expect((await longUrlField(page).inputValue()).length).toBeGreaterThan(20_000);
  });

  test('a slow response creates one link however often Enter is pressed, and new input is kept', async () => {
    const account = await app.createAccount();
    const page = await dashboard(account);
    const { release } = await holdBack(page, '**/api/v1/link');
    await longUrlField(page).fill('https://example.com/slow');
    await longUrlField(page).press('Enter');
    await longUrlField(page).press('Enter');
    await page.locator('.new-link-box button:disabled').waitFor();
    await longUrlField(page).fill('https://example.com/next');
    release();
    await page.getByRole('region', { name: 'New link', exact: true }).waitFor();
    expect(await longUrlField(page).inputValue()).toBe('https://example.com/next');
    const { json } = await app.call('GET', '/api/v1/link', { key: account.key });
    expect(json.total_links).toBe(1);
  });

  test('a taken suffix is reported beside its field, and no input is lost', async () => {
    const account = await app.createAccount();
    await createLink(account, 'taken-one');
    const page = await dashboard(account);
    const suffix = page.getByRole('textbox', { name: 'Suffix' });
    await page.getByRole('button', { name: 'Options' }).click();
    await suffix.fill('taken-one');
    await longUrlField(page).fill('https://example.com/x');
    await longUrlField(page).press('Enter');
    const error = page.locator('.field', { has: suffix }).locator('.error');
    expect(await error.innerText()).toContain('taken-one');
    expect(await suffix.getAttribute('aria-invalid')).toBe('true');
    expect(await longUrlField(page).inputValue()).toBe('https://example.com/x');
    await suffix.fill('free-one');
    await suffix.press('Enter');
    await row(page, '/free-one').waitFor();
  });

  test('a tag can be created while creating a link, by keyboard', async () => {
    const account = await app.createAccount();
    const page = await dashboard(account);
    await longUrlField(page).fill('https://example.com/tagged');
    await page.getByRole('button', { name: 'Options' }).click();
    await page.getByRole('combobox', { name: 'Tags' }).fill('Spring 🌱');
    await page.getByRole('option', { name: 'Create tag “Spring 🌱”' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove tag Spring 🌱' }).waitFor();
    await longUrlField(page).press('Enter');
    await row(page, 'Spring 🌱').waitFor();
    const { json } = await app.call('GET', '/api/v1/link', { key: account.key });
    expect(json.links[0].tags.map(({ name }: { name: string }) => name)).toEqual(['Spring 🌱']);
  });

  test('input from before the empty list was loaded is kept', async () => {
    const page = await dashboard(await app.createAccount(), '/app/nowhere');
    const { release } = await holdBack(page, '**/api/v1/link?*', { method: 'GET' });
    await followLink(page, '/app');
    await page.getByRole('button', { name: 'Options' }).click();
    const suffix = page.getByRole('textbox', { name: 'Suffix' });
    await suffix.pressSequentially('half');
    release();
    await page.getByText('Your first link is one paste away').waitFor();
    await page.keyboard.type('-way');
    expect(await suffix.inputValue()).toBe('half-way');
    expect(await longUrlField(page).inputValue()).toBe('');
  });

  test('without a network the typed URL is kept, and a retry creates the link', async () => {
    const page = await dashboard(await app.createAccount());
    await page.getByText('Your first link is one paste away').waitFor();
    await page.context().setOffline(true);
    await page.waitForFunction(() => !navigator.onLine);
    await longUrlField(page).fill('https://example.com/kept');
    await longUrlField(page).press('Enter');
    const alert = page.locator('.new-link').getByRole('alert');
    expect(await alert.innerText()).toContain("can't be reached");
    expect(await longUrlField(page).inputValue()).toBe('https://example.com/kept');
    await page.context().setOffline(false);
    await alert.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('region', { name: 'New link', exact: true }).waitFor();
    expect(await alert.count()).toBe(0);
  });

  test('a URL pasted anywhere is put into the field, after what is there', async () => {
    const account = await app.createAccount();
    await createLink(account, 'beside');
    const page = await dashboard(account);
    await row(page, '/beside').waitFor();
    await pasteOutside(page, 'https://example.com/pasted');
    expect(await longUrlField(page).inputValue()).toBe('https://example.com/pasted');
    await longUrlField(page).fill('https://example.com/1\nhttps://example.com/2\n');
    await longUrlField(page).blur();
    await pasteOutside(page, 'https://example.com/3');
    expect(await longUrlField(page).inputValue()).toBe(
      'https://example.com/1\nhttps://example.com/2\nhttps://example.com/3',
    );
  });
});

describe('finding links', () => {
  test('search filters while typing, which loading does not disturb, and is in the URL', async () => {
    const account = await app.createAccount();
    await createLink(account, 'find-apple');
    await createLink(account, 'find-pear', { name: 'two words' });
    const page = await dashboard(account);
    await row(page, '/find-pear').waitFor();
    await pressUntil(page, '/', page.locator('#search-links:focus'));
    await page.keyboard.type('APPLE');
    await row(page, '/find-pear').waitFor({ state: 'detached' });
    await row(page, '/find-apple').waitFor();
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
    await page.getByRole('searchbox').pressSequentially('two ');
    await page.waitForURL(/\?q=two$/);
    await page.getByRole('searchbox').pressSequentially('words');
    await page.waitForURL(/\?q=two\+words$/);
    expect(await page.getByRole('searchbox').inputValue()).toBe('two words');
    await row(page, '/find-apple').waitFor({ state: 'detached' });
    await row(page, '/find-pear').waitFor();
  });

  test('a search among too many links says which ones it looks at', async () => {
    const account = await app.createAccount();
    await createLink(account, 'among-many');
    await app.app.context.database.write((queries) =>
      queries
        .updateTable('link_counts')
        .set({ links: 50_001 })
        .where('organization_id', '=', account.organizationId)
        .execute(),
    );
    const page = await dashboard(account);
    await row(page, 'among-many').waitFor();
    const reach = page.getByText('the newest 10,000 are searched');
    expect(await reach.count()).toBe(0);
    await page.getByRole('searchbox').fill('among');
    await reach.waitFor();
    await row(page, 'among-many').waitFor();
    await page.getByRole('searchbox').fill('nothing like it');
    await page.getByText('No link matches').waitFor();
    expect(await reach.count()).toBe(1);
  });

  test('a pasted short link finds its link, in the list and in the palette, which also takes a long address', async () => {
    const owner = await app.createAccount();
    const long = `https://example.com/${'long/'.repeat(60)}`;
    const url = await createLink(owner, 'grüße', { destination_url: long }).then(({ url }) => url);
    await createLink(owner, 'other');
    const page = await dashboard(owner);
    await row(page, 'other').waitFor();
    await page.getByRole('searchbox').fill(url);
    await row(page, 'other').waitFor({ state: 'detached' });
    expect(await suffixes(page)).toEqual(['/grüße']);
    for (const pasted of [url, long]) {
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('combobox').fill(pasted);
      await page.getByRole('option', { name: 'grüße' }).waitFor();
      await page.keyboard.press('Escape');
    }
  });

  test('tags are combined, and their links are sorted as chosen', async () => {
    const account = await app.createAccount();
    const [red, large] = [await createTag(account, 'red'), await createTag(account, 'large')];
    await createLink(account, 'tags-b', { tags: [red, large] });
    await createLink(account, 'tags-a', { tags: [red, large] });
    await createLink(account, 'tags-c', { tags: [red] });
    const page = await dashboard(account, `/app?tag=${red}`);
    await row(page, '/tags-c').waitFor();
    await page.getByRole('button', { name: 'Remove tag red' }).waitFor();
    const filter = page.getByRole('combobox', { name: 'Filter by tag' });
    await filter.fill('lar');
    await filter.press('Enter');
    await row(page, '/tags-c').waitFor({ state: 'detached' });
    await row(page, '/tags-a').waitFor();
    expect(await suffixes(page)).toEqual(['/tags-a', '/tags-b']);
    await page.getByRole('combobox', { name: 'Sort' }).selectOption('Oldest first');
    await page.locator('.link-row:first-child', { hasText: '/tags-b' }).waitFor();
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      tag: `${red},${large}`,
      sort: 'created_at',
    });
  });

  test('a tag typed into the filter before the tags have loaded is applied once they have', async () => {
    const account = await app.createAccount();
    const red = await createTag(account, 'red');
    await createLink(account, 'eager-red', { tags: [red] });
    await createLink(account, 'eager-plain');
    const page = await dashboard(account);
    await row(page, '/eager-plain').waitFor();
    const { release } = await holdBack(page, '**/api/v1/tag', { method: 'GET' });
    const filter = page.getByRole('combobox', { name: 'Filter by tag' });
    await filter.fill('re');
    await filter.press('Enter');
    release();
    await row(page, '/eager-plain').waitFor({ state: 'detached' });
    await row(page, '/eager-red').waitFor();
    expect(await suffixes(page)).toEqual(['/eager-red']);
  });

  test('invalid parameters in the URL are ignored, or can be removed; a deleted tag and a domain that is gone are named', async () => {
    const account = await app.createAccount();
    await createLink(account, 'nonsense');
    const tag = await createTag(account, 'passing');
    await app.call('DELETE', `/api/v1/tag/${tag}`, { key: account.key });
    const page = await dashboard(account, '/app?page=-2&size=7&sort=evil&tag=x,%00,-1&before=no&domain=');
    await row(page, '/nonsense').waitFor();
    await followLink(page, '/app?page=999999999999999');
    await page.getByRole('button', { name: 'Show the first page' }).click();
    await row(page, '/nonsense').waitFor();
    await followLink(page, '/app?tag=999999');
    await page.getByRole('button', { name: 'Remove tag Tag 999999' }).click();
    await row(page, '/nonsense').waitFor();
    expect(new URL(page.url()).search).toBe('');
    for (const [query, gone] of [
      [`?tag=${tag}`, 'A tag in this address is gone'],
      ['?domain=gone.example.com', 'The domain in this address is gone'],
    ] as const) {
      await followLink(page, `/app${query}`);
      await page.getByRole('heading', { name: gone }).waitFor();
      await page.getByRole('button', { name: 'Show all links' }).click();
      await row(page, '/nonsense').waitFor();
      expect(new URL(page.url()).search).toBe('');
    }
  });

  test('pages are in the URL, and stable while links are created', async () => {
    const account = await app.createAccount();
    const links = Array.from({ length: 60 }, (_, index) => ({
      destination_url: 'https://example.com',
      suffix: `page-${String(index).padStart(2, '0')}`,
    }));
    await app.call('POST', '/api/v1/link/bulk', { key: account.key, body: { links } });
    const page = await dashboard(account);
    await row(page, '/page-59').waitFor();
    expect(await page.getByRole('navigation', { name: 'Pages' }).innerText()).toContain('1–25 of 60');
    await createLink(account, 'page-new');
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
    await followLink(page, '/app?page=9999999');
    await page.getByText('Nothing is on this page').waitFor();
    expect(await page.getByRole('navigation', { name: 'Pages' }).innerText()).toContain('None of 61');
    await page.getByRole('button', { name: 'Previous page' }).click();
    await row(page, '/page-00').waitFor();
    expect(new URL(page.url()).searchParams.get('page')).toBe('3');

    // The step to the last page keeps the focus, and leads no further.
    const next = page.getByRole('button', { name: 'Next page' });
    await followLink(page, '/app?page=2');
    await next.focus();
    await page.keyboard.press('Enter');
    await row(page, '/page-00').waitFor();
    await page.keyboard.press('Enter');
    await next.and(page.locator('[aria-disabled="true"]:focus')).waitFor();
    expect(new URL(page.url()).searchParams.get('page')).toBe('3');
  });
});

describe('failures', () => {
  test('a list that fails to load shows an error and a retry, and the field stays usable', async () => {
    const account = await app.createAccount();
    await createLink(account, 'comes-later');
    const page = await dashboard(account, '/app/nowhere');
    await page.route('**/api/v1/link?*', (route) =>
      route.fulfill({
        status: 503,
        json: { status_code: 503, error_code: 'STORE_AWAY', error_string: 'The database is away.' },
      }),
    );
    await followLink(page, '/app');
    const alert = page.getByRole('alert').filter({ hasText: 'The database is away.' });
    await alert.waitFor();
    await longUrlField(page).fill('https://example.com/meanwhile');
    await page.unroute('**/api/v1/link?*');
    await alert.getByRole('button', { name: 'Try again' }).click();
    await row(page, '/comes-later').waitFor();
    expect(await longUrlField(page).inputValue()).toBe('https://example.com/meanwhile');
  });
});
