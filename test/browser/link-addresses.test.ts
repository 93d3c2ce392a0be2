import { expect, test } from 'bun:test';
import { accessibilityViolations } from '../support/browser.ts';
import { appOfSuite } from '../support/browser-suite.ts';
import { field, save, unsaved } from './link-page.ts';
import { linksInOnePage } from './one-page.ts';

const app = await appOfSuite();
const open = linksInOnePage(app);

test('a link gets another suffix and aliases by keyboard, and needs confirmation if it is in print', async () => {
  const { page, read } = await open({ suffix: 'sprnig', on_paper: true });
  await page.setViewportSize({ width: 360, height: 800 });
  const aliases = page.getByRole('list', { name: 'Aliases' }).getByRole('listitem');
  await field(page, 'Alias').fill('Café');
  await field(page, 'Alias').press('Enter');
  await field(page, 'Another alias').fill('second');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  expect(await aliases.count()).toBe(2);
  await save(page);
  expect((await read()).aliases).toEqual([`${app.url}/Caf%C3%A9`, `${app.url}/second`]);
  expect((await aliases.allTextContents()).map((text) => text.split('/')[1])).toEqual(['Café', 'second']);

  await field(page, 'Suffix').fill('two words');
  await page.getByRole('status').getByText('/sprnig continues to work, as an alias.').waitFor();
  await page.getByRole('button', { name: 'Save changes' }).click();
  const confirmation = page.getByRole('dialog', { name: 'This is in print' });
  await page.getByText(/^A suffix has 1 to 255 characters/).waitFor();
  await field(page, 'Suffix').fill('spring');
  expect(await accessibilityViolations(page)).toEqual([]);
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(360);
  await page.getByRole('button', { name: 'Save changes' }).click();
  await confirmation.getByRole('button', { name: 'Change it anyway' }).press('Enter');
  await page.getByRole('heading', { name: /\/spring$/ }).waitFor();
  expect(await read()).toMatchObject({ suffix: 'spring' });
  expect(await aliases.count()).toBe(3);
  expect((await app.visit('/sprnig')).status).toBe(302);

  await page.getByRole('button', { name: /^Remove .*\/second$/ }).click();
  await page.getByRole('button', { name: 'Save changes' }).click();
  const confirm = confirmation.getByRole('button', { name: 'Change it anyway' });
  const notice = await confirmation.locator('.notice').first().boundingBox();
  expect((notice?.y ?? 0) + (notice?.height ?? 0)).toBeLessThan((await confirm.boundingBox())?.y ?? 0);
  await confirm.press('Enter');
  await unsaved(page).waitFor({ state: 'detached' });
  expect((await read()).aliases).toEqual([`${app.url}/Caf%C3%A9`, `${app.url}/sprnig`]);
});

test('aliases on a domain with other letters than ASCII are shown as its owner writes them', async () => {
  const { page, read, link } = await open({ suffix: 'neu' });
  const { host } = new URL(app.url);
  const ascii = app.url.replace(host, `xn--bcher-kva.example:${new URL(app.url).port}`);
  const domain = {
    id: 1,
    domain: 'xn--bcher-kva.example',
    domain_unicode: 'bücher.example',
    state: 'verified',
  };
  await page.route('**/api/v1/domain', (route) => route.fulfill({ json: [domain] }));
  await page.route(`**/api/v1/link/${link.id}`, async (route) => {
    if (route.request().method() !== 'GET') return route.abort();
    await route.fulfill({
      json: { ...(await read()), domain: ascii, aliases: [`${ascii}/gr%C3%BC%C3%9Fe`] },
    });
  });
  await page.reload();
  const aliases = page.getByRole('list', { name: 'Aliases' }).getByRole('listitem');
  await aliases.getByText(/^bücher\.example:\d+\/grüße$/).waitFor();
  await field(page, 'Suffix').fill('alt');
  await page
    .getByRole('status')
    .getByText(/^bücher\.example:\d+\/neu continues/)
    .waitFor();
  // An address without its scheme, as the list shows it.
  await field(page, 'Another alias').fill(`${host}/there`);
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await aliases.getByText(`${host}/there`, { exact: true }).waitFor();
});

test('an alias that was typed is saved, even if it was not added to the list before', async () => {
  const { page, read } = await open();
  await field(page, 'Alias').fill('by');
  // As when the user turns to another window, to look something up.
  await field(page, 'Alias').dispatchEvent('focusout');
  await page.keyboard.type('-key');
  // With Caps Lock.
  await page.keyboard.press('Control+S');
  await page.getByText('Changes saved.').waitFor();
  await field(page, 'Another alias').fill('by-button');
  await field(page, 'Name').fill('named');
  await save(page);
  expect((await read()).aliases).toEqual([`${app.url}/by-key`, `${app.url}/by-button`]);
  await field(page, 'Another alias').fill('two words');
  await page.keyboard.press('Control+S');
  await page
    .locator('.new-alias')
    .getByText(/^A suffix has 1 to 255 characters/)
    .waitFor();
});

test('an alias on a domain that is not verified yet is refused, and is not taken for a suffix', async () => {
  const { page, read, owner } = await open({ suffix: 'known' });
  const domain = `go${owner.userId}.example.com`;
  const created = await app.call('POST', '/api/v1/domain', { key: owner.key, body: { domain } });
  expect(created.status).toBe(201);
  await page.reload();
  await field(page, 'Alias').fill(`${domain}/menu`);
  await field(page, 'Alias').press('Enter');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.locator('.new-alias').getByText('is not a verified domain of your organization.').waitFor();
  expect(await read()).toMatchObject({ aliases: [] });
});
