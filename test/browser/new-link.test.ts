import { describe, expect, test } from 'bun:test';
import type { Locator } from 'playwright-core';
import { appOfSuite } from '../support/browser-suite.ts';
import { eventually } from '../support/eventually.ts';
import { holdBack, loseFirstAnswer } from './held-requests.ts';
import { linksOf, longUrlField, notice, rows } from './link-list.ts';
import { dashboardsInOnePage } from './one-page.ts';

const app = await appOfSuite();
const dashboard = dashboardsInOnePage(app);
const { createLink, createTag } = linksOf(app);

describe('a creation whose answer is lost', () => {
  test('is not made twice, neither of one link nor of several', async () => {
    const account = await app.createAccount();
    const page = await dashboard(account);
    const total = async () => (await app.call('GET', '/api/v1/link', { key: account.key })).json.total_links;
    let before = 0;
    for (const [path, card, urls] of [
      ['**/api/v1/link', 'New link', ['https://example.com/lost']],
      ['**/api/v1/link/bulk', 'New links', ['https://example.com/lost/1', 'https://example.com/lost/2']],
    ] as const) {
      await loseFirstAnswer(page, path);
      const create = async () => {
        await longUrlField(page).fill(urls.join('\n'));
        await longUrlField(page).press('Enter');
      };
      await create();
      await page.locator('.new-link').getByRole('button', { name: 'Try again' }).click();
      const created = page.getByRole('region', { name: card, exact: true });
      await created.waitFor();
      expect(await total()).toBe(before + urls.length);

      // The same input is a new creation once the earlier one has been answered.
      await created.getByRole('button', { name: 'Dismiss' }).click();
      await create();
      await created.waitFor();
      before = await total();
      expect(before).toBe(urls.length === 1 ? 2 : 6);
      await created.getByRole('button', { name: 'Dismiss' }).click();
    }
  });
});

test('a suffix of another link is refused in words for people', async () => {
  const account = await app.createAccount();
  await app.createLink(account, { suffix: 'menu' });
  app.clock.now += 1_000;
  const page = await dashboard(account);
  await page.getByRole('button', { name: 'Options' }).click();
  await page.getByRole('textbox', { name: 'Suffix' }).fill('menu');
  await longUrlField(page).fill('https://example.com/');
  await longUrlField(page).press('Enter');
  const sentence = '"menu" is the suffix of another link of your organization. Choose another suffix.';
  await page.locator('.new-link .error').getByText(sentence, { exact: true }).waitFor();
});

test('a new link that is deleted is no longer offered to be copied and edited', async () => {
  const page = await dashboard(await app.createAccount());
  await longUrlField(page).fill('https://example.com/slip');
  await longUrlField(page).press('Enter');
  const created = page.getByRole('region', { name: 'New link', exact: true });
  await created.waitFor();
  await rows(page).first().getByRole('link', { name: 'Edit' }).focus();
  await page.keyboard.press('Delete');
  await notice(page).getByText('deleted.').waitFor();
  await created.waitFor({ state: 'detached' });
});

describe('input for the next link', () => {
  test('a suffix that is typed while a link is being created is kept', async () => {
    const page = await dashboard(await app.createAccount());
    const { arrived, release } = await holdBack(page, '**/api/v1/link');
    const suffix = page.getByRole('textbox', { name: 'Suffix' });
    await page.getByRole('button', { name: 'Options' }).click();
    await longUrlField(page).fill('https://example.com/one');
    await longUrlField(page).press('Enter');
    await arrived;
    await longUrlField(page).fill('https://example.com/two');
    await suffix.fill('the-second');
    release();
    const created = page.getByRole('region', { name: 'New link', exact: true });
    await created.waitFor();
    expect(await suffix.inputValue()).toBe('the-second');
    await longUrlField(page).press('Enter');
    await created.getByRole('link', { name: 'the-second' }).waitFor();
    expect(await suffix.inputValue()).toBe('');
  });

  test('what is typed while links are being created comes after the lines that were refused; added lines stay alone', async () => {
    const page = await dashboard(await app.createAccount());
    const createWhileTyping = async (sent: string, typed: string) => {
      const { arrived, release } = await holdBack(page, '**/api/v1/link/bulk');
      await longUrlField(page).fill(sent);
      await longUrlField(page).press('Enter');
      await arrived;
      await longUrlField(page).fill(typed);
      release();
      await page.unroute('**/api/v1/link/bulk');
    };
    await createWhileTyping('https://example.com/1\nhttps://exa mple.com/2', 'https://example.com/next');
    await page.getByText('1 line could not be used: it is back in the field').waitFor();
    expect(await longUrlField(page).inputValue()).toBe('https://exa mple.com/2\nhttps://example.com/next');
    const sent = 'https://example.com/1\nhttps://example.com/2';
    await createWhileTyping(sent, `${sent}\nhttps://example.com/3`);
    await page.getByRole('heading', { name: '2 links created' }).waitFor();
    expect(await longUrlField(page).inputValue()).toBe('https://example.com/3');
  });

  test('a tag, a suffix, and the name of a further tag that are entered while another tag is being created are kept', async () => {
    const account = await app.createAccount();
    await createTag(account, 'ready');
    const page = await dashboard(account);
    const { arrived, release } = await holdBack(page, '**/api/v1/tag');
    await page.getByRole('button', { name: 'Options' }).click();
    const tags = page.getByRole('combobox', { name: 'Tags' });
    await tags.fill('made');
    await page.getByRole('option', { name: 'Create tag “made”' }).waitFor();
    await page.keyboard.press('Enter');
    await arrived;
    await page.getByRole('textbox', { name: 'Suffix' }).fill('typed-meanwhile');
    await tags.fill('ready');
    await page.getByRole('option', { name: 'ready' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove tag ready' }).waitFor();
    await tags.fill('next');
    release();
    await page.getByRole('button', { name: 'Remove tag made' }).waitFor();
    expect(await page.getByRole('button', { name: 'Remove tag ready' }).count()).toBe(1);
    expect(await page.getByRole('textbox', { name: 'Suffix' }).inputValue()).toBe('typed-meanwhile');
    expect(await tags.inputValue()).toBe('next');
  });
});

describe('what is in the field', () => {
  test('is kept with its options while another page is shown, but not for another user', async () => {
    const account = await app.createAccount();
    const other = await app.createAccount();
    await createTag(account, 'batch');
    const page = await dashboard(account);
    await page.getByRole('button', { name: 'Options' }).click();
    await page.getByRole('combobox', { name: 'Tags' }).fill('batch');
    await page.getByRole('option', { name: 'batch' }).first().click();
    await longUrlField(page).fill('https://example.com/1\nnowhere');
    await page.getByRole('button', { name: 'Create 2 links' }).click();
    await page.getByRole('region', { name: 'New links' }).getByRole('listitem').getByRole('link').click();
    await page.waitForURL(/\/links\/\d+$/);
    await page.getByLabel('Destination', { exact: true }).waitFor();
    await page.goBack();
    await page.locator('.new-link-foot', { hasText: 'batch' }).waitFor();
    expect(await longUrlField(page).inputValue()).toBe('nowhere');

    await page.getByRole('button', { name: 'My account' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Email').fill(other.email);
    await page.getByLabel('Password').fill(other.password);
    await page.keyboard.press('Enter');
    await longUrlField(page).waitFor();
    expect(await longUrlField(page).inputValue()).toBe('');
  });
});

test('a double click, or Enter that is held down, creates one link, and says nothing of an empty field', async () => {
  const page = await dashboard(await app.createAccount());
  const destination = page.getByLabel('Long URL');
  const created = page.getByRole('region', { name: 'New link' });
  const createButton = page.getByRole('button', { name: 'Create link' });
  await destination.fill('https://example.com/clicked');
  await createButton.click();
  await created.getByText('example.com/clicked').waitFor();
  await createButton.hover();
  await page.mouse.down({ clickCount: 2 });
  await page.mouse.up({ clickCount: 2 });
  expect(await destination.getAttribute('aria-invalid')).toBeNull();
  await destination.fill('https://example.com/held');
  await page.keyboard.down('Enter');
  await created.getByText('example.com/held').waitFor();
  await page.keyboard.down('Enter');
  await page.keyboard.up('Enter');
  expect(await destination.getAttribute('aria-invalid')).toBeNull();
});

describe('a copy of a link', () => {
  test('is not made twice if the answer to the first attempt is lost', async () => {
    const account = await app.createAccount();
    const { id } = await createLink(account, 'original');
    const page = await dashboard(account, `/app/links/${id}`);
    await loseFirstAnswer(page, '**/api/v1/link');
    const duplicate = async () => {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('button', { name: 'Duplicate link' }).click();
    };
    await duplicate();
    await notice(page).getByText("Linnet can't be reached.").waitFor();
    await duplicate();
    await notice(page).getByText('This is the copy').waitFor();
    const { json } = await app.call('GET', '/api/v1/link', { key: account.key });
    expect(json.total_links).toBe(2);
  });
});

test('of many links, screen readers also hear how many lines were refused', async () => {
  const page = await dashboard(await app.createAccount());
  const create = async (lines: string) => {
    await longUrlField(page).fill(lines);
    await longUrlField(page).press('Enter');
  };
  const heard = page.locator('.new-link > [role=status]');
  await create('https://example.com/one\nnowhere');
  await heard.getByText(/^1 link created.*, 1 line refused$/).waitFor();
  await create('nowhere\nnothing');
  await heard.getByText(/^No link was created, 2 lines refused$/).waitFor();
});

test('where pages may not use the clipboard directly, copying leaves the focus where it is', async () => {
  const page = await dashboard(await app.createAccount());
  await page.evaluate(() => {
    for (const name of ['write', 'writeText'] as const)
      navigator.clipboard[name] = () => Promise.reject(new Error('refused'));
  });
  const created = page.getByRole('region', { name: 'New link' });
  const create = page.getByRole('button', { name: 'Create link' });
  const copy = created.getByRole('button', { name: 'Copy link' });
  const isFocused = (locator: Locator) => locator.evaluate((element) => element === document.activeElement);
  await longUrlField(page).fill('https://example.com/one');
  await longUrlField(page).press('Enter');
  await created.getByText('example.com/one').waitFor();
  await eventually(() => isFocused(longUrlField(page)), 'the focus is back in the field');
  await longUrlField(page).fill('https://example.com/two');
  await create.press('Enter');
  await created.getByText('example.com/two').waitFor();
  await eventually(() => isFocused(create), 'the focus is back on the button that creates links');
  await copy.press('Enter');
  const copied = created.getByRole('button', { name: 'Copied' });
  await copied.waitFor();
  await eventually(() => isFocused(copied), 'the focus is back on the button that copies');
  await page.close();
});
