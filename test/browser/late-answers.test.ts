import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { appOfSuite } from '../support/browser-suite.ts';
import { eventually } from '../support/eventually.ts';
import { holdBack } from './held-requests.ts';
import { linksOf, notice, row } from './link-list.ts';
import { field, linkPagesOf, unsaved } from './link-page.ts';
import { dashboardsInOnePage } from './one-page.ts';

const app = await appOfSuite();
const { createLink, createTag } = linksOf(app);
const dashboard = dashboardsInOnePage(app);
const open = linkPagesOf(app, dashboard);

/** In the menu of a link's page. */
async function choose(page: Page, action: string): Promise<void> {
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('button', { name: action }).click();
}

async function goToLink(page: Page, suffix: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Links' }).click();
  await row(page, suffix)
    .getByRole('link', { name: /^Edit / })
    .click();
  await field(page, 'Notes').fill('typed meanwhile');
  await unsaved(page).waitFor();
}

async function expectStillOn(page: Page, id: number): Promise<void> {
  expect(new URL(page.url()).pathname).toBe(`/app/links/${id}`);
  expect(await field(page, 'Notes').inputValue()).toBe('typed meanwhile');
}

describe('an answer that arrives when the user has gone on to another link', () => {
  test('does not leave that link once the first is deleted', async () => {
    const { page, owner } = await open({ suffix: 'deleted' });
    const { id } = await createLink(owner, 'next');
    const { arrived, release } = await holdBack(page, '**/api/v1/link/bulk_delete*');
    await choose(page, 'Delete link');
    await arrived;
    await goToLink(page, 'next');
    release();
    await page.getByText(/deleted deleted\./).waitFor();
    await expectStillOn(page, id);
  });

  test('offers the copy of the first, and asks before it shows it', async () => {
    const { page, owner } = await open({ suffix: 'original' });
    const { id } = await createLink(owner, 'beside');
    const { arrived, release } = await holdBack(page, '**/api/v1/link');
    await choose(page, 'Duplicate link');
    await arrived;
    await goToLink(page, 'beside');
    release();
    await page.getByText(/^Copied as/).waitFor();
    await expectStillOn(page, id);
    await notice(page).getByRole('button', { name: 'Show link' }).click();
    await page.getByRole('dialog', { name: 'Leave this page?' }).waitFor();
  });

  test('asks before it shows what was scheduled', async () => {
    const { page, owner } = await open({ suffix: 'planned' });
    const { id } = await createLink(owner, 'other');
    await field(page, 'Name').fill('Later');
    const { arrived, release } = await holdBack(page, '**/api/v1/link/*/scheduled*');
    await page.getByRole('button', { name: 'Save later' }).click();
    await page.getByRole('button', { name: 'Schedule', exact: true }).click();
    await arrived;
    // What the form holds is about to be dropped, so nothing else can be typed until then.
    await page.keyboard.press('Escape');
    expect(await page.getByRole('dialog', { name: 'Save later' }).isVisible()).toBe(true);
    release();
    await page.getByText(/^Scheduled for/).waitFor();
    await goToLink(page, 'other');
    await notice(page).getByRole('button', { name: 'Show' }).click();
    await page.getByRole('dialog', { name: 'Leave this page?' }).waitFor();
    await page.getByRole('button', { name: 'Stay here' }).click();
    await expectStillOn(page, id);
  });
});

test('a tag that was being created does not take the focus from the next field', async () => {
  const { page } = await open();
  const { arrived, release } = await holdBack(page, '**/api/v1/tag');
  await page.getByRole('combobox', { name: 'Tags' }).fill('made');
  await page.getByRole('option', { name: 'Create tag “made”' }).waitFor();
  await page.keyboard.press('Enter');
  await arrived;
  await field(page, 'Suffix').fill('summer');
  release();
  await page.getByText('made added').waitFor({ state: 'attached' });
  await page.keyboard.type('-sale');
  expect(await field(page, 'Suffix').inputValue()).toBe('summer-sale');
});

test('a tag that was being renamed does not close the form of another', async () => {
  const account = await app.createAccount();
  for (const name of ['alpha', 'beta']) await createTag(account, name);
  const page = await dashboard(account, '/app/tags');
  const { arrived, release } = await holdBack(page, '**/api/v1/tag/*', { method: 'PATCH' });
  await page.getByRole('button', { name: 'Rename alpha' }).click();
  await page.getByLabel('New name of alpha').fill('gamma');
  await page.keyboard.press('Enter');
  await arrived;
  await page.getByRole('button', { name: 'Rename beta' }).click();
  await page.getByLabel('New name of beta').fill('typed meanwhile');
  release();
  await page.getByRole('link', { name: 'gamma' }).waitFor();
  expect(await page.getByLabel('New name of beta').inputValue()).toBe('typed meanwhile');
});

test('a link that is archived by its own menu does not conflict with unsaved changes', async () => {
  const { page, read } = await open({ name: 'First' });
  await field(page, 'Name').fill('Second');
  await choose(page, 'Archive link');
  await page.locator('.facts').getByText('Archived').waitFor();
  await page.getByRole('button', { name: 'Save changes' }).click();
  await unsaved(page).waitFor({ state: 'detached' });
  expect(await read()).toMatchObject({ name: 'Second', archived: true });
});

test('the list of links follows clicks again after its stream was refused', async () => {
  const account = await app.createAccount();
  await createLink(account, 'followed');
  const page = await dashboard(account, '/app/tags');
  let streams = 0;
  await page.route('**/api/v1/clicks/live*', (route) =>
    ++streams === 1 ? route.fulfill({ status: 502, body: 'Bad gateway' }) : route.fallback(),
  );
  const opened = page.waitForResponse((response) => response.url().includes('/live') && response.ok());
  await page.getByRole('link', { name: 'Links', exact: true }).click();
  await opened;
  await app.visit('/followed');
  await eventually(
    async () => (await row(page, 'followed').locator('.row-clicks').innerText()).includes('1'),
    'the click to be shown',
  );
});
