import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { TestAccount } from '../support/app.ts';
import { dashboardOf } from '../support/browser.ts';
import { appOfSuite } from '../support/browser-suite.ts';
import { pressUntil } from '../support/press-until.ts';
import { expectNoBarriers } from './barriers.ts';
import { linksOf, notice } from './link-list.ts';
import { dashboardsInOnePage } from './one-page.ts';

const app = await appOfSuite();
const dashboard = dashboardsInOnePage(app);
const { createLink, createTag } = linksOf(app);

const rows = (page: Page) => page.locator('.tag-row');
const row = (page: Page, name: string) => rows(page).filter({ hasText: name });
const names = (page: Page): Promise<string[]> => page.locator('.tag-name').allInnerTexts();

const namesInApi = async (account: TestAccount): Promise<string[]> =>
  (await app.call('GET', '/api/v1/tag', { key: account.key })).json.map(({ name }: { name: string }) => name);

describe('tags', () => {
  test('are created, counted, sorted, and link to their links; a name that is taken is refused, and kept', async () => {
    const account = await app.createAccount();
    const page = await dashboard(account, '/app/tags');
    await page.getByText('No tags yet').waitFor();
    // The field that creates the first tag has the focus.
    await page.locator('input:focus').waitFor();
    await page.keyboard.type('Spring');
    await page.keyboard.press('Enter');
    await row(page, 'Spring').waitFor();
    const name = page.getByRole('textbox', { name: 'New tag' });
    await name.fill('spring');
    await name.press('Enter');
    await page.locator('.new-tag .error').waitFor();
    expect(await name.inputValue()).toBe('spring');
    const used = await createTag(account, 'Used');
    await createLink(account, 'spring', { tags: [used] });
    await page.reload();
    await row(page, 'Used').getByText('1 link').waitFor();
    expect(await names(page)).toEqual(['Spring', 'Used']);
    await page.getByRole('combobox', { name: 'Sort' }).selectOption('Most links first');
    await page.locator('.tag-row:first-child', { hasText: 'Used' }).waitFor();
    await page.getByRole('link', { name: 'Used' }).click();
    await page.locator('.link-row', { hasText: 'Used' }).waitFor();
    expect(new URL(page.url()).search).toBe(`?tag=${used}`);
  });

  test('are renamed in place, by keyboard; a refused name stays open', async () => {
    const account = await app.createAccount();
    for (const name of ['one', 'two']) await createTag(account, name);
    const page = await dashboard(account, '/app/tags');
    await row(page, 'one').waitFor();
    await pressUntil(page, 'j', row(page, 'one').locator('[data-row-link]:focus'));
    await page.keyboard.press('e');
    const field = page.getByRole('textbox', { name: 'New name of one' });
    await field.fill('two');
    await field.press('Enter');
    await page.locator('.rename-tag .error').waitFor();
    await field.fill('three');
    await field.press('Enter');
    await row(page, 'three').waitFor();
    expect(await names(page)).toEqual(['three', 'two']);
    expect(await namesInApi(account)).toEqual(['three', 'two']);
    await row(page, 'three').locator('[data-row-link]:focus').waitFor();
    await page.keyboard.press('e');
    await page.locator('.rename-tag input:focus').waitFor();
    await page.keyboard.press('Escape');
    await row(page, 'three').locator('[data-row-link]:focus').waitFor();
  });

  test('whose long names are written from right to left show their beginning where there is no room', async () => {
    const account = await app.createAccount();
    await createTag(account, 'تخفيضات الصيف الكبرى لجميع العملاء في جميع المتاجر');
    const page = await dashboard(account, '/app/tags');
    await page.setViewportSize({ width: 360, height: 740 });
    const isBeginningShown = (element: Element) => {
      const name = document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode();
      if (!name) return false;
      const first = document.createRange();
      first.setStart(name, 0);
      first.setEnd(name, 1);
      const [letter, box] = [first.getBoundingClientRect(), element.getBoundingClientRect()];
      return letter.left >= box.left - 1 && letter.right <= box.right + 1;
    };
    expect(await page.locator('.tag-name').evaluate(isBeginningShown)).toBe(true);
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill('تخفيضات');
    const option = page.getByRole('option', { name: /تخفيضات/ });
    expect(await option.locator('.cut').first().evaluate(isBeginningShown)).toBe(true);
  });

  test('are deleted only after explaining the effect, and reappear if the request fails', async () => {
    const account = await app.createAccount();
    const id = await createTag(account, 'doomed');
    await createLink(account, 'doomed', { tags: [id] });
    const page = await dashboard(account, '/app/tags');
    await row(page, 'doomed').hover();
    const openConfirmation = async () => {
      await page.getByRole('button', { name: 'Delete doomed' }).click();
      await page
        .getByRole('dialog')
        .getByText('It is taken off 1 link; the links themselves stay.')
        .waitFor();
    };
    await openConfirmation();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.route('**/api/v1/tag/*', (route) => route.abort());
    await openConfirmation();
    await page.getByRole('button', { name: 'Delete tag' }).click();
    await page.getByRole('alert').getByText('Tag “doomed” was not deleted.').waitFor();
    await row(page, 'doomed').waitFor();
    await page.unroute('**/api/v1/tag/*');
    await openConfirmation();
    await page.getByRole('button', { name: 'Delete tag' }).click();
    await page.getByText('No tags yet').waitFor();
    await page.getByText('Tag “doomed” deleted.').waitFor();
    expect(await namesInApi(account)).toEqual([]);
  });

  test('remain usable if there are 10,000: the list has pages, and it and the picker are filtered while typing', async () => {
    const account = await app.createAccount();
    const page = await dashboard(account, '/app');
    const tags = Array.from({ length: 10_000 }, (_, index) => ({
      id: index + 1,
      created_at: '2026-01-01_00-00-00',
      organization_id: account.organizationId,
      name: `tag ${String(index).padStart(5, '0')}`,
      links: index % 7,
    }));
    await page.route('**/api/v1/tag', (route) => route.fulfill({ json: tags }));
    await page.getByRole('link', { name: 'Tags' }).click();
    await page.getByText('1–100 of 10,000').waitFor();
    expect(await rows(page).count()).toBe(100);
    await page.getByRole('textbox', { name: 'Page', exact: true }).fill('100');
    await page.keyboard.press('Enter');
    await row(page, 'tag 09999').waitFor();
    await pressUntil(page, '/', page.locator('#search-tags:focus'));
    await page.keyboard.type('05432');
    await page.getByText('1 tag of 10,000').waitFor();
    expect(await names(page)).toEqual(['tag 05432']);

    await page.getByRole('link', { name: 'Links', exact: true }).click();
    await page.getByRole('button', { name: 'Options' }).click();
    const picker = page.getByRole('combobox', { name: 'Tags', exact: true });
    await picker.click();
    await page.getByText('9,950 more. Type to find one.').waitFor();
    await picker.fill('4321');
    await page.getByRole('option', { name: 'tag 04321' }).waitFor();
    await picker.press('Enter');
    await page.getByRole('button', { name: 'Remove tag tag 04321' }).waitFor();
    await picker.press('Backspace');
    expect(await page.getByRole('button', { name: 'Remove tag tag 04321' }).count()).toBe(0);
  });

  test('whose whole names are typed are saved with the link, even if they were not chosen from the list', async () => {
    const account = await app.createAccount();
    for (const name of ['Spring', 'Summer']) await createTag(account, name);
    const { id } = await createLink(account, 'tagged');
    const page = await dashboard(account, `/app/links/${id}`);
    const picker = page.getByRole('combobox', { name: 'Tags' });
    await picker.fill('spring');
    await page.getByRole('option', { name: 'Spring' }).waitFor();
    await page.getByLabel('Notes').click();
    await page.getByRole('button', { name: 'Remove tag Spring' }).waitFor();
    expect(await picker.inputValue()).toBe('');
    await picker.fill('Summer');
    await page.getByRole('option', { name: 'Summer' }).waitFor();
    await page.keyboard.press('Control+s');
    await notice(page).getByText('Changes saved.').waitFor();
    const saved = await app.call('GET', `/api/v1/link/${id}`, { key: account.key });
    const tags: { name: string }[] = saved.json.tags;
    expect(tags.map(({ name }) => name).toSorted()).toEqual(['Spring', 'Summer']);
    // A text that is no tag's name stays in the field.
    await picker.fill('sprin');
    await page.getByRole('option', { name: 'Create tag' }).waitFor();
    await page.getByLabel('Notes').click();
    expect(await picker.inputValue()).toBe('sprin');
  });

  test('pass the accessibility check: light on a phone; without any, dark on a desktop too', async () => {
    const account = await app.createAccount();
    const page = await dashboard(account, '/app/tags');
    const phone = ['light', 390, 844] as const;
    const desktop = ['dark', 1280, 720] as const;
    await page.getByText('No tags yet').waitFor();
    await expectNoBarriers(page, 'without tags', desktop, phone);
    // On a desktop, accessibility.test.ts has the others.
    for (const text of ['Spring', 'קמפיין', 'x'.repeat(100)]) await createTag(account, text);
    await page.reload();
    await row(page, 'Spring').getByRole('button', { name: 'Rename Spring' }).click();
    await expectNoBarriers(page, 'a name is changed', phone);
    await page.keyboard.press('Escape');
    await row(page, 'Spring').getByRole('button', { name: 'Delete Spring' }).click();
    await page.getByRole('dialog').waitFor();
    await expectNoBarriers(page, 'a deletion is confirmed', phone);
  });

  test('with scripts in their names never run them', async () => {
    const account = await app.createAccount();
    const payload = '<img src=x onerror="globalThis.ran=1">';
    await createTag(account, payload);
    const page = await dashboard(account, `/app/tags?q=${encodeURIComponent('<img')}`);
    await row(page, payload).hover();
    await page.getByRole('button', { name: `Delete ${payload}` }).click();
    await page.getByRole('dialog').getByText(payload).waitFor();
    await page.getByRole('button', { name: 'Delete tag' }).click();
    await page.getByText(`Tag “${payload}” deleted.`).waitFor();
    expect(await page.evaluate(() => 'ran' in globalThis)).toBe(false);
  });
});

test('a notice stays while the pointer or the focus is on it', async () => {
  const page = await dashboardOf(app, await app.createAccount(), '/app/tags');
  await page.getByLabel('New tag').waitFor();
  await page.clock.install();
  await page.getByLabel('New tag').fill('Spring');
  await page.getByLabel('New tag').press('Enter');
  await notice(page).getByText('Tag “Spring” created.').hover();
  await page.clock.runFor(6_500);
  expect(await notice(page).count()).toBe(1);
  await notice(page).getByRole('button', { name: 'Dismiss' }).focus();
  await page.mouse.move(0, 0);
  await page.clock.runFor(1_500);
  expect(await notice(page).count()).toBe(1);
  await page.getByLabel('New tag').focus();
  await notice(page).waitFor({ state: 'detached' });
  await page.context().close();
});
