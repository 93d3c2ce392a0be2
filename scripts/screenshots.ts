/**
 * Takes screenshots of every page of the dashboard for review, light and dark, at the sizes of a phone, a tablet and a desktop. `npm
 * run screenshots` writes them to screenshots/ or the given folder; with --readme it writes the three for the README to docs/images.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { startApp, type TestApp } from '../test/support/app.ts';
import { closeBrowser, dashboardOf, freshContext } from '../test/support/browser.ts';
import { shootForReadme } from './readme-pictures.ts';
import { type SeededData, seedOrganization } from './screenshot-data.ts';

const folder = process.argv[2] ?? 'screenshots';
const sizes = {
  phone: { width: 390, height: 844 },
  tablet: { width: 768, height: 1024 },
  desk: { width: 1280, height: 860 },
};
const schemes = ['light', 'dark'] as const;
/** Screenshots of the window instead of the whole page, because something floats above it. */
const shotsOfWindow: ReadonlySet<string> = new Set(['palette', 'api-key', 'link-unsaved']);

interface Shot {
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

const chooseTwo = async (page: Page) => {
  for (const at of [1, 2]) await page.getByRole('checkbox').nth(at).check();
};

const makeOne = async (page: Page) => {
  await page.getByRole('button', { name: 'Options' }).click();
  await page.getByLabel('Long URL').fill('https://example.com/made-for-a-picture');
  await page.getByLabel('Long URL').press('Enter');
  await page.getByRole('region', { name: 'New link' }).waitFor();
};

const changeName = (page: Page) => page.getByLabel('Name', { exact: true }).fill('Poster, summer collection');

const addKey = (page: Page) => page.getByRole('button', { name: 'Add API Key' }).click();

const shotsOf = ({ linkId, domainId }: SeededData): readonly Shot[] => [
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
  { name: 'nothing-here', path: '/app/elsewhere' },
  { name: 'live', path: '/app/stats?view=live' },
  { name: 'links-selected', path: '/app', prepare: chooseTwo },
  { name: 'deleted-links-selected', path: '/app/links/deleted', prepare: chooseTwo },
  { name: 'links-made', path: '/app', prepare: makeOne },
  { name: 'link-unsaved', path: `/app/links/${linkId}`, prepare: changeName },
  { name: 'palette', path: '/app', prepare: openPalette },
  { name: 'api-key', path: '/app/account', prepare: addKey },
];

const emptyShots: readonly Shot[] = [
  { name: 'empty-links', path: '/app' },
  { name: 'empty-deleted-links', path: '/app/links/deleted' },
  { name: 'empty-statistics', path: '/app/stats' },
  { name: 'empty-tags', path: '/app/tags' },
  { name: 'empty-domains', path: '/app/domains' },
];

if (process.argv.includes('--readme')) await shootForReadme();
else await shootEverything();

async function shootEverything(): Promise<void> {
  await mkdir(folder, { recursive: true });
  const app = await startApp({ env: { DOMAIN_TARGET: '192.0.2.7' } });
  try {
    await shootOutside(app, 'set-up', '/app');
    // The first account: its organization runs the service.
    const owner = await app.createAccount('ada@example.com');
    await shootSignedOut(app);
    await shootAs(app, owner, emptyShots);
    const seeded = await seedOrganization(app, owner);
    await shootAs(app, owner, shotsOf(seeded));
    await shootOutside(app, 'invitation', seeded.invitationPath);
  } finally {
    await closeBrowser();
    await app.stop();
  }
}

async function shootSignedOut(on: TestApp): Promise<void> {
  await shootOutside(on, 'sign-in', '/app');
  await shootOutside(on, 'forgot', '/app/forgot');
  await shootOutside(on, 'reset', '/app/reset/lnp_unknown');
}

async function shootOutside(on: TestApp, name: string, path: string): Promise<void> {
  const context = await freshContext();
  const page = await context.newPage();
  await page.goto(on.url + path);
  await page.locator('main h1').waitFor();
  await shootEverySize(page, name);
  await context.close();
}

async function shootAs(
  on: TestApp,
  user: Parameters<typeof dashboardOf>[1],
  shots: readonly Shot[],
): Promise<void> {
  const page = await dashboardOf(on, user);
  for (const { name, path, prepare } of shots) {
    await page.goto(on.url + path, { waitUntil: 'load' });
    await page.locator('main h1').first().waitFor();
    await prepare?.(page);
    await shootEverySize(page, name);
  }
  await page.context().close();
}

async function shootEverySize(page: Page, name: string): Promise<void> {
  for (const [size, viewport] of Object.entries(sizes)) {
    await page.setViewportSize(viewport);
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      // Waits for requests and animations to end.
      await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
      await page.waitForTimeout(250);
      await page.screenshot({
        path: join(folder, `${name}-${size}-${colorScheme}.png`),
        fullPage: !shotsOfWindow.has(name),
      });
    }
  }
  process.stdout.write(`${name}\n`);
}
