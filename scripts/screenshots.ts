/**
 * Takes screenshots of every page of the dashboard for review, light and dark, at the sizes of a phone, a tablet and a desktop. `npm
 * run screenshots` writes them to screenshots/ or the given folder; with --readme it writes the three for the README to docs/images.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { startApp, type TestApp } from '../test/support/app.ts';
import { closeBrowser, dashboardOf, freshContext } from '../test/support/browser.ts';
import { takeReadmeScreenshots } from './readme-pictures.ts';
import { type SeededData, seedOrganization } from './screenshot-data.ts';

const folder = process.argv[2] ?? 'screenshots';
const sizes = {
  phone: { width: 390, height: 844 },
  tablet: { width: 768, height: 1024 },
  desktop: { width: 1280, height: 860 },
};
const schemes = ['light', 'dark'] as const;
/** Screenshots of the viewport instead of the whole page, because an overlay covers a part of it. */
const viewportScreenshots: ReadonlySet<string> = new Set(['palette', 'api-key', 'link-unsaved']);

interface Screenshot {
  readonly name: string;
  readonly path: string;
  readonly prepare?: (page: Page) => Promise<void>;
}

const openPalette = async (page: Page) => {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Find links, tags, pages' }).fill('spring');
  await page
    .getByRole('option', { name: /\/spring/ })
    .first()
    .waitFor();
};

const selectTwo = async (page: Page) => {
  for (const index of [1, 2]) await page.getByRole('checkbox').nth(index).check();
};

const createLink = async (page: Page) => {
  await page.getByRole('button', { name: 'Options' }).click();
  await page.getByLabel('Long URL').fill('https://example.com/made-for-a-picture');
  await page.getByLabel('Long URL').press('Enter');
  await page.getByRole('region', { name: 'New link' }).waitFor();
};

const editName = (page: Page) => page.getByLabel('Name', { exact: true }).fill('Poster, summer collection');

const addKey = (page: Page) => page.getByRole('button', { name: 'Add API Key' }).click();

const screenshotsOf = ({ linkId, domainId }: SeededData): readonly Screenshot[] => [
  { name: 'links', path: '/app' },
  { name: 'deleted-links', path: '/app/links/deleted' },
  { name: 'link', path: `/app/links/${linkId}` },
  { name: 'link-rules', path: `/app/links/${linkId}/rules` },
  { name: 'link-statistics', path: `/app/links/${linkId}/stats` },
  { name: 'link-visits', path: `/app/links/${linkId}/visits` },
  { name: 'link-webhook', path: `/app/links/${linkId}/webhook` },
  { name: 'link-history', path: `/app/links/${linkId}/history` },
  { name: 'link-scheduled', path: `/app/links/${linkId}/scheduled` },
  { name: 'statistics', path: '/app/stats' },
  { name: 'not-found', path: '/app/stats?view=not-found' },
  { name: 'tags', path: '/app/tags' },
  { name: 'domains', path: '/app/domains' },
  { name: 'domain', path: `/app/domains/${domainId}` },
  { name: 'organization', path: '/app/organization' },
  { name: 'nodes', path: '/app/organization/nodes' },
  { name: 'account', path: '/app/account' },
  { name: 'page-not-found', path: '/app/elsewhere' },
  { name: 'live', path: '/app/stats?view=live' },
  { name: 'links-selected', path: '/app', prepare: selectTwo },
  { name: 'deleted-links-selected', path: '/app/links/deleted', prepare: selectTwo },
  { name: 'links-made', path: '/app', prepare: createLink },
  { name: 'link-unsaved', path: `/app/links/${linkId}`, prepare: editName },
  { name: 'palette', path: '/app', prepare: openPalette },
  { name: 'api-key', path: '/app/account', prepare: addKey },
];

const emptyScreenshots: readonly Screenshot[] = [
  { name: 'empty-links', path: '/app' },
  { name: 'empty-deleted-links', path: '/app/links/deleted' },
  { name: 'empty-statistics', path: '/app/stats' },
  { name: 'empty-tags', path: '/app/tags' },
  { name: 'empty-domains', path: '/app/domains' },
];

if (process.argv.includes('--readme')) await takeReadmeScreenshots();
else await screenshotAll();

async function screenshotAll(): Promise<void> {
  await mkdir(folder, { recursive: true });
  const app = await startApp({ env: { DOMAIN_TARGET: '192.0.2.7' } });
  try {
    await screenshotSignedOut(app, 'set-up', '/app');
    // The first account, whose organization operates the service.
    const owner = await app.createAccount('ada@example.com');
    await screenshotSignedOutPages(app);
    await screenshotPages(app, owner, emptyScreenshots);
    const seeded = await seedOrganization(app, owner);
    await screenshotPages(app, owner, screenshotsOf(seeded));
    await screenshotSignedOut(app, 'invitation', seeded.invitationPath);
  } finally {
    await closeBrowser();
    await app.stop();
  }
}

async function screenshotSignedOutPages(app: TestApp): Promise<void> {
  await screenshotSignedOut(app, 'sign-in', '/app');
  await screenshotSignedOut(app, 'sign-up', '/app/sign-up');
  await screenshotSignedOut(app, 'forgot', '/app/forgot');
  await screenshotSignedOut(app, 'reset', '/app/reset/lnp_unknown');
}

async function screenshotSignedOut(app: TestApp, name: string, path: string): Promise<void> {
  const context = await freshContext();
  const page = await context.newPage();
  await page.goto(app.url + path);
  await page.locator('main h1').waitFor();
  await screenshotAllSizes(page, name);
  await context.close();
}

async function screenshotPages(
  app: TestApp,
  user: Parameters<typeof dashboardOf>[1],
  screenshots: readonly Screenshot[],
): Promise<void> {
  const page = await dashboardOf(app, user);
  for (const { name, path, prepare } of screenshots) {
    await page.goto(app.url + path, { waitUntil: 'load' });
    await page.locator('main h1').first().waitFor();
    await prepare?.(page);
    await screenshotAllSizes(page, name);
  }
  await page.context().close();
}

async function screenshotAllSizes(page: Page, name: string): Promise<void> {
  for (const [size, viewport] of Object.entries(sizes)) {
    await page.setViewportSize(viewport);
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      // Waits for requests and animations to end.
      await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
      await page.waitForTimeout(250);
      await page.screenshot({
        path: join(folder, `${name}-${size}-${colorScheme}.png`),
        fullPage: !viewportScreenshots.has(name),
      });
    }
  }
  process.stdout.write(`${name}\n`);
}
