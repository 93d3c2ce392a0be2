import { expect, test } from 'bun:test';
import { accessibilityViolations } from '../support/browser.ts';
import { appOfSuite } from '../support/browser-suite.ts';
import { followLink } from './follow-link.ts';
import { notice, row } from './link-list.ts';
import { field, linkPagesOf, save } from './link-page.ts';

const app = await appOfSuite();
const open = linkPagesOf(app);

test('UTM parameters are read from the destination, written into it, and stored as templates: a taken name is reported, and those of other organizations are not listed', async () => {
  const other = await app.createAccount();
  const body = { name: 'Flyer', utm_source: 'paper' };
  expect((await app.call('POST', '/api/v1/utm_template', { key: other.key, body })).status).toBe(201);
  const { page, owner, read } = await open({
    destination_url: 'https://example.com/a?utm_source=mail&x=1#top',
  });
  const destination = field(page, 'Destination');
  await page.getByText('mail', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'UTM parameters' }).click();
  expect(await field(page, 'Source').inputValue()).toBe('mail');
  await field(page, 'Medium').fill('spring letter');
  expect(await destination.inputValue()).toBe(
    'https://example.com/a?utm_source=mail&x=1&utm_medium=spring%20letter#top',
  );
  await destination.fill('https://example.com/b?utm_source=pasted&utm_campaign=c');
  expect(await field(page, 'Source').inputValue()).toBe('pasted');
  expect(await field(page, 'Medium').inputValue()).toBe('');
  await field(page, 'Campaign').fill('');
  expect(await destination.inputValue()).toBe('https://example.com/b?utm_source=pasted');

  await field(page, 'Content').fill('button');
  await page.getByRole('button', { name: 'Save as template' }).click();
  await field(page, 'Name of the template').fill('Letter');
  await page.keyboard.press('Enter');
  await notice(page).getByText('Template "Letter" saved.').waitFor();
  expect(await field(page, 'Template').locator('option:checked').textContent()).toBe('Letter');
  expect(await accessibilityViolations(page)).toEqual([]);

  await page.getByRole('button', { name: 'Rename template' }).click();
  await field(page, 'Name of the template').fill('Spring letter');
  await page.keyboard.press('Enter');
  const checked = field(page, 'Template').locator('option:checked');
  await checked.filter({ hasText: 'Spring letter' }).waitFor({ state: 'attached' });
  await field(page, 'Term').fill('shoes');
  await page.getByRole('button', { name: 'Save as template' }).click();
  await field(page, 'Name of the template').fill('spring letter');
  await page.getByRole('button', { name: 'Save template' }).click();
  await page.getByText('There is a template named "spring letter" already.').waitFor();
  await field(page, 'Name of the template').press('Escape');
  expect(await field(page, 'Template').locator('option').allTextContents()).toEqual([
    'None of them',
    'Spring letter',
  ]);
  await page.getByRole('button', { name: 'Change “Spring letter” to this' }).click();
  await checked.filter({ hasText: 'Spring letter' }).waitFor({ state: 'attached' });
  const stored = async () => (await app.call('GET', '/api/v1/utm_template', { key: owner.key })).json;
  expect(await stored()).toMatchObject([{ name: 'Spring letter', utm_term: 'shoes', utm_content: 'button' }]);
  await notice(page).getByRole('button', { name: 'Undo' }).click();
  await field(page, 'Term').fill('');
  await checked.filter({ hasText: 'Spring letter' }).waitFor({ state: 'attached' });
  expect(await stored()).toMatchObject([{ name: 'Spring letter', utm_term: null, utm_content: 'button' }]);
  await page.getByRole('button', { name: 'Rename template' }).click();
  await field(page, 'Name of the template').fill('Letter');
  await page.getByRole('button', { name: 'Rename template' }).click();
  await checked.filter({ hasText: /^Letter$/ }).waitFor({ state: 'attached' });
  const suggested = page.locator('datalist').first().locator('option');
  const suggestion = (value: string) => suggested.and(page.locator(`[value=${value}]`));
  await save(page);
  await suggestion('mail').waitFor({ state: 'detached' });
  expect((await read()).destination_url).toBe('https://example.com/b?utm_source=pasted&utm_content=button');

  await followLink(page, '/app');
  await page.getByRole('button', { name: 'Options' }).click();
  await page.getByRole('button', { name: 'UTM parameters' }).click();
  expect(await field(page, 'Source').isDisabled()).toBe(true);
  await page.getByLabel('Long URL').fill('example.com/one\nexample.com/two?utm_source=own');
  expect(await field(page, 'Source').getAttribute('placeholder')).toBe('Differs');
  await field(page, 'Template').selectOption({ label: 'Letter' });
  expect(await page.getByLabel('Long URL').inputValue()).toBe(
    'example.com/one?utm_source=pasted&utm_content=button\nexample.com/two?utm_source=pasted&utm_content=button',
  );
  expect(
    await suggested.evaluateAll((options) => options.map((option) => (option as HTMLOptionElement).value)),
  ).toEqual(['pasted']);
  await page.getByRole('button', { name: 'Create 2 links' }).click();
  await page.getByText('2 links created').first().waitFor();

  await page.getByLabel('Long URL').fill('example.com/new?utm_source=first');
  await page.getByRole('button', { name: 'Create link' }).click();
  await suggestion('first').waitFor({ state: 'attached' });
  await row(page, 'example.com/new').getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Delete 1 link' }).click();
  await suggestion('first').waitFor({ state: 'detached' });
  await notice(page).getByRole('button', { name: 'Undo' }).click();
  await suggestion('first').waitFor({ state: 'attached' });

  await page.getByLabel('Long URL').fill('example.com/three?utm_source=pasted&utm_content=button');
  await page.getByRole('button', { name: 'Delete template' }).click();
  await notice(page).getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('button', { name: 'Delete template' }).waitFor();
  const templates = (await app.call('GET', '/api/v1/utm_template', { key: owner.key })).json;
  expect(templates).toMatchObject([{ name: 'Letter', utm_source: 'pasted', utm_content: 'button' }]);
});
