import { describe, expect, test } from 'bun:test';
import { accessibilityViolations } from '../support/browser.ts';
import { appOfSuite } from '../support/browser-suite.ts';
import { notice } from './link-list.ts';
import { field, save } from './link-page.ts';
import { linksInOnePage } from './one-page.ts';

const app = await appOfSuite();
const open = linksInOnePage(app);

describe('the history of a link', () => {
  test('shows old and new values, reverts to a state, and undoes that', async () => {
    const { page, read, change, link, owner } = await open(
      { name: 'First' },
      { destination_url: 'https://example.com/after', password: 'sesame' },
    );
    await field(page, 'Name').fill('Second');
    await save(page);
    await page.getByRole('link', { name: 'History' }).click();
    const entries = page.locator('.history-entry');
    await entries.nth(2).waitFor();
    expect(await entries.count()).toBe(3);
    expect(await entries.nth(0).innerText()).toContain(`${owner.email} changed name`);
    expect(await entries.nth(0).locator('del').innerText()).toContain('First');
    expect(await entries.nth(0).locator('ins').innerText()).toContain('Second');
    expect(await entries.nth(0).getByRole('button').count()).toBe(0);
    expect(await entries.nth(1).innerText()).toContain('with the API key "tests"');
    expect(await entries.nth(1).locator('del mark').allInnerTexts()).toEqual(['before']);
    expect(await entries.nth(1).innerText()).toContain('are secret');
    expect(await page.content()).not.toContain('sesame');
    expect(await entries.nth(2).innerText()).toContain('created the link');
    expect(await accessibilityViolations(page)).toEqual([]);

    await entries
      .nth(2)
      .getByRole('button', { name: /^Back to this/ })
      .click();
    await entries.nth(3).waitFor();
    expect(await entries.nth(0).innerText()).toContain('reverted to an earlier state');
    expect(await read()).toMatchObject({
      name: 'First',
      destination_url: 'https://example.com/before',
      has_password: true,
    });
    await notice(page).getByRole('button', { name: 'Undo' }).click();
    await entries.nth(4).waitFor();
    expect(await read()).toMatchObject({ name: 'Second', destination_url: 'https://example.com/after' });
    await page.getByRole('link', { name: 'Details' }).click();
    expect(await field(page, 'Name').inputValue()).toBe('Second');

    // Another user changes the link while its history is open.
    await page.getByRole('link', { name: 'History' }).click();
    await entries.nth(4).waitFor();
    await change({ name: 'Theirs' });
    await entries
      .nth(4)
      .getByRole('button', { name: /^Back to this/ })
      .click();
    await page.getByText('This link was changed in the meantime', { exact: false }).first().waitFor();
    expect(await read()).toMatchObject({ name: 'Theirs', id: link.id });
    await entries.nth(5).waitFor();
  });

  test('reverts to a state beside unsaved changes, which can then be saved', async () => {
    const { page, read } = await open({ name: 'First' }, { name: 'Second' });
    await field(page, 'Notes').fill('Mine');
    await page.getByRole('link', { name: 'History' }).click();
    const entries = page.locator('.history-entry');
    await entries
      .nth(1)
      .getByRole('button', { name: /^Back to this/ })
      .click();
    await entries.nth(2).waitFor();
    await notice(page).getByRole('button', { name: 'Undo' }).click();
    await entries.nth(3).waitFor();
    await save(page);
    expect(await read()).toMatchObject({ name: 'Second', notes: 'Mine' });
  });

  test('shows a change that is saved while it is open', async () => {
    const { page } = await open({ name: 'First' });
    await field(page, 'Name').fill('Second');
    await page.getByRole('link', { name: 'History' }).click();
    const entries = page.locator('.history-entry');
    await entries.filter({ hasText: 'created the link' }).waitFor();
    await save(page);
    await entries.filter({ hasText: 'changed name' }).waitFor();
    expect(await entries.count()).toBe(2);
  });

  test('reverts to the newest state too if the link has lost an alias in the bin since', async () => {
    const { page, link, owner, read } = await open({ aliases: ['lent'] });
    const call = (method: string, path: string, body?: object) =>
      app.call(method, `/api/v1/link${path}`, { key: owner.key, ...(body && { body }) });
    await call('DELETE', `/${link.id}`);
    const { json: holder } = await call('POST', '', {
      destination_url: 'https://example.com',
      suffix: 'lent',
    });
    expect((await call('POST', '/restore', { ids: [link.id] })).status).toBe(200);
    await call('DELETE', `/${holder.id}`);
    expect((await read()).aliases).toEqual([]);
    await page.goto(`${app.url}/app/links/${link.id}/history`);
    const entries = page.locator('.history-entry');
    await entries.filter({ hasText: 'created the link' }).getByRole('button').click();
    await entries.filter({ hasText: 'reverted' }).waitFor();
    expect((await read()).aliases).toEqual([`${app.url}/lent`]);
  });

  test('with many changes is loaded one page at a time', async () => {
    const { page, change } = await open({ name: '0' });
    for (let count = 1; count <= 30; count++) await change({ name: String(count) });
    await page.getByRole('link', { name: 'History' }).click();
    await page.getByRole('button', { name: 'Show earlier changes' }).click();
    const entries = page.locator('.history-entry');
    await entries.nth(30).waitFor();
    expect(await entries.count()).toBe(31);
    expect(await entries.nth(30).innerText()).toContain('created the link');
    expect(await page.getByRole('button', { name: 'Show earlier changes' }).count()).toBe(0);
  });
});
