import { describe, expect, test } from 'bun:test';
import { accessibilityViolations } from '../support/browser.ts';
import { appOfSuite } from '../support/browser-suite.ts';
import { eventually } from '../support/eventually.ts';
import { holdBack } from './held-requests.ts';
import { linksOf, row, rows } from './link-list.ts';
import { field, linkPagesOf, save, unsaved } from './link-page.ts';
import { dashboardsInOnePage } from './one-page.ts';

const app = await appOfSuite();
const { createLink } = linksOf(app);
const dashboard = dashboardsInOnePage(app);
const open = linkPagesOf(app, dashboard);

describe('a link in print', () => {
  test('is marked by downloading its QR code, and needs confirmation before it is ended', async () => {
    const { page, read } = await open();
    await field(page, 'Name').fill('Poster');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download SVG' }).click(),
    ]);
    expect(download.suggestedFilename()).toEndWith('.svg');
    await page.locator('.facts').getByText('On paper').waitFor();
    expect(await read()).toMatchObject({ on_paper: true });
    await page.getByRole('switch', { name: 'On paper', checked: true }).waitFor();

    await save(page);
    expect(await read()).toMatchObject({ on_paper: true, name: 'Poster' });

    await page.getByRole('switch', { name: 'Disabled' }).click();
    await page.getByRole('button', { name: 'Save changes' }).click();
    const confirmation = page.getByRole('dialog', { name: 'This is in print' });
    await confirmation.waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await confirmation.getByRole('button', { name: 'Keep it working' }).click();
    await page.getByText('Nothing was changed, because it is in print.').first().waitFor();
    expect(await read()).toMatchObject({ disabled: false });
    await page.getByRole('button', { name: 'Save changes' }).click();
    await confirmation.getByRole('button', { name: 'End it anyway' }).click();
    await unsaved(page).waitFor({ state: 'detached' });
    expect(await read()).toMatchObject({ disabled: true });
    await page.getByRole('switch', { name: 'Disabled' }).click();
    await save(page);
    expect(await read()).toMatchObject({ disabled: false });
  });

  test('is found by a filter of the list, and deleted after confirmation', async () => {
    const account = await app.createAccount();
    await createLink(account, 'poster', { on_paper: true });
    await createLink(account, 'banner');
    const page = await dashboard(account);
    await page.getByRole('combobox', { name: 'Filter by state' }).selectOption('on_paper');
    await row(page, 'banner').waitFor({ state: 'detached' });
    await row(page, 'poster').waitFor();
    expect(await rows(page).count()).toBe(1);
    const deleteLink = async () => {
      await row(page, 'poster')
        .getByRole('button', { name: /^More about/ })
        .click();
      await page.getByRole('button', { name: 'Delete link' }).click();
    };
    const confirmation = page.getByRole('dialog', { name: 'This is in print' });
    await deleteLink();
    await confirmation.getByRole('button', { name: 'Keep it working' }).click();
    await row(page, 'poster').waitFor();
    await deleteLink();
    await confirmation.getByRole('button', { name: 'End it anyway' }).click();
    await row(page, 'poster').waitFor({ state: 'detached' });
    await eventually(
      async () => (await app.call('GET', '/api/v1/link', { key: account.key })).json.total_links === 1,
      'the link to be deleted',
    );
  });

  test('is asked about by its name, one link after another', async () => {
    const account = await app.createAccount();
    await createLink(account, 'flyer', { on_paper: true });
    const kept = await createLink(account, 'leaflet', { on_paper: true });
    const page = await dashboard(account);
    const { release } = await holdBack(page, '**/api/v1/link/bulk_delete*');
    const refused: string[] = [];
    page.on('response', (response) => {
      if (response.status() === 409) refused.push(response.request().postData() ?? '');
    });
    for (const suffix of ['flyer', 'leaflet']) {
      await row(page, suffix)
        .getByRole('button', { name: /^More about/ })
        .click();
      await page.getByRole('button', { name: 'Delete link' }).click();
    }
    release();
    await eventually(() => refused.length === 2, 'both deletions to be refused');
    const confirmation = page.getByRole('dialog', { name: 'This is in print' });
    const asked: string[] = [];
    for (const _ of refused) {
      const sentence = await confirmation.getByText(/would stop working/).innerText();
      const name = /of \S+\/(\S+) would/.exec(sentence)?.[1] ?? '';
      asked.push(name);
      const verb = name === 'flyer' ? 'End it anyway' : 'Keep it working';
      const question = await confirmation.elementHandle();
      await confirmation.getByRole('button', { name: verb }).click();
      await question?.waitForElementState('hidden');
    }
    expect(asked.sort()).toEqual(['flyer', 'leaflet']);
    await row(page, 'leaflet').waitFor();
    await row(page, 'flyer').waitFor({ state: 'detached' });
    const { json } = await app.call('GET', '/api/v1/link', { key: account.key });
    expect(json.links.map(({ id }: { id: number }) => id)).toEqual([kept.id]);
  });
});
