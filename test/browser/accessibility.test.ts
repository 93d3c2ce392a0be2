import { afterAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { accessibilityViolations, contrastViolations } from '../support/browser.ts';
import { appOfSuite } from '../support/browser-suite.ts';
import { startTarget } from '../support/webhook-target.ts';
import { followLink } from './follow-link.ts';
import { dashboardsInOnePage } from './one-page.ts';

const app = await appOfSuite({ env: { DOMAIN_TARGET: '127.0.0.1' } });
const open = dashboardsInOnePage(app);
const owner = await app.createAccount();
const create = async (path: string, body: unknown): Promise<number> =>
  (await app.call('POST', path, { key: owner.key, body })).json.id;
const target = startTarget();
afterAll(() => target.stop());
const tagId = await create('/api/v1/tag', { name: 'W'.repeat(60) });
const linkId = await create('/api/v1/link', {
  destination_url: `https://example.com/${'long'.repeat(80)}`,
  suffix: 'long-'.repeat(30),
  aliases: ['also-'.repeat(30)],
  name: 'A name as long as a sentence can be. '.repeat(4) + 'n'.repeat(300),
  tags: [tagId],
  rules: [
    {
      name: 'W'.repeat(60),
      when: { query: { ['w'.repeat(90)]: ['W'.repeat(90)] } },
      destination_url: `https://example.com/${'long'.repeat(80)}`,
    },
  ],
  webhook_url: target.url,
  og_title: 'עברית '.repeat(30),
  password: 'secret',
  qr_code_foreground_hex: '#FFEE00',
});
await app.visit(`/${'long-'.repeat(30)}`);
expect(await create(`/api/v1/link/${linkId}/webhook_test`, undefined)).toBeGreaterThan(0);
const domainId = await create('/api/v1/domain', { domain: `${'long-'.repeat(10)}name.example.com` });
await create('/api/v1/invitation', { email: `${'long'.repeat(14)}@example.com`, role: 'editor' });
await create('/api/v1/api_key', { name: 'W'.repeat(60) });
const deletedLinkId = await create('/api/v1/link', {
  destination_url: `https://example.com/${'gone'.repeat(80)}`,
  suffix: 'gone-'.repeat(30),
  name: 'W'.repeat(300),
});
await app.call('DELETE', `/api/v1/link/${deletedLinkId}`, { key: owner.key });

const desktop = { width: 1280, height: 860 };
const phone = { width: 390, height: 844 };
const mainPath = '/app';
const pages = [
  mainPath,
  '/app/links/deleted',
  `/app/links/${linkId}`,
  `/app/links/${linkId}/rules`,
  `/app/links/${linkId}/stats`,
  `/app/links/${linkId}/visits`,
  `/app/links/${linkId}/webhook`,
  `/app/links/${linkId}/history`,
  `/app/links/${linkId}/scheduled`,
  '/app/stats',
  '/app/stats?view=live',
  '/app/stats?view=not-found',
  '/app/tags',
  '/app/domains',
  `/app/domains/${domainId}`,
  '/app/organization',
  '/app/organization/nodes',
  '/app/account',
  '/app/nowhere',
];
const waitUntilLoaded = async (page: Page) => {
  await page.locator('main h1').first().waitFor({ state: 'attached' });
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
};
/** Client-side navigation, which is faster than loading the document again. */
const navigateTo = async (page: Page, path: string) => {
  await followLink(page, path);
  // The new page is rendered by the next frame.
  await page.evaluate(() => new Promise(requestAnimationFrame));
  await waitUntilLoaded(page);
};

const targetsTooSmallForFingers = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('button, select, .tabs a, .nav a, a.button, input.input')]
      .filter(
        (element) => element.checkVisibility() && !element.closest('.unseen, [role=status], .picker-box'),
      )
      .filter((element) => element.getBoundingClientRect().height < 40)
      .map((element) => element.outerHTML.slice(0, 120)),
  );

describe('every page', () => {
  test('passes the accessibility check, light on a desktop and dark on a phone with large targets, and fits a window of 320 pixels, or of 1280 pixels at 400 % zoom', async () => {
    const page = await open(owner, mainPath);
    const session = await page.context().newCDPSession(page);
    const expectToFit = async (path: string, viewport: { width: number; height: number }) => {
      await page.setViewportSize(viewport);
      const scrollWidth = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(`${path}: ${scrollWidth}`).toBe(`${path}: ${viewport.width}`);
    };
    for (const path of pages) {
      await navigateTo(page, path);
      await expectToFit(path, { width: 320, height: 640 });
      // Colours are the same at every width, and the parts of a width in both schemes.
      for (const [viewport, colorScheme, enabled] of [
        [desktop, 'light', false],
        [phone, 'dark', true],
      ] as const) {
        await page.emulateMedia({ colorScheme });
        await session.send('Emulation.setTouchEmulationEnabled', { enabled });
        await expectToFit(path, viewport);
        expect({ path, viewport, barriers: await accessibilityViolations(page) }).toMatchObject({
          barriers: [],
        });
      }
      expect(await page.evaluate(() => matchMedia('(pointer: coarse)').matches)).toBe(true);
      expect({ path, small: await targetsTooSmallForFingers(page) }).toEqual({ path, small: [] });
    }
  });
});

describe('dialogs and menus', () => {
  const openings: readonly (readonly [string, string, (page: Page) => Promise<void>])[] = [
    ['the palette', mainPath, (page) => page.keyboard.press('Control+k')],
    ['the account menu', mainPath, (page) => page.getByRole('button', { name: 'My account' }).click()],
    ['the options of a new link', mainPath, (page) => page.getByRole('button', { name: 'Options' }).click()],
    ['the menu of a row', mainPath, (page) => page.getByRole('button', { name: /^More about/ }).click()],
    [
      'the dialog that adds tags',
      mainPath,
      async (page) => {
        await page.getByRole('checkbox').nth(1).check();
        await page.getByRole('button', { name: 'Tag', exact: true }).click();
      },
    ],
    [
      'the bar of selected deleted links',
      '/app/links/deleted',
      (page) => page.getByRole('checkbox').nth(1).check(),
    ],
    [
      'the QR code of a link',
      `/app/links/${linkId}`,
      (page) => page.getByRole('button', { name: 'QR code' }).click(),
    ],
    ['the export of statistics', '/app/stats', (page) => page.getByText('Export', { exact: true }).click()],
    ['a custom time range', '/app/stats', (page) => page.getByRole('button', { name: 'Custom' }).click()],
    [
      'the form that renames a tag',
      '/app/tags',
      (page) => page.getByRole('button', { name: /^Rename/ }).click(),
    ],
    [
      'the confirmation of deleting a tag',
      '/app/tags',
      (page) => page.getByRole('button', { name: /^Delete/ }).click(),
    ],
    [
      'the confirmation of deleting a domain',
      `/app/domains/${domainId}`,
      (page) => page.getByRole('button', { name: 'Delete domain' }).click(),
    ],
    [
      'the form of an invitation',
      '/app/organization',
      (page) => page.getByRole('button', { name: 'Invite member' }).click(),
    ],
    [
      'a new API key',
      '/app/account',
      async (page) => {
        await page.getByRole('button', { name: 'Add API Key' }).click();
        await page.getByRole('dialog').getByLabel('Name').fill('for a look');
        await page.getByRole('button', { name: 'Create API Key' }).click();
        await page.getByText('Copy it now').waitFor();
      },
    ],
    // Last, because the page asks for confirmation before it is left.
    [
      'the bar of unsaved changes',
      `/app/links/${linkId}`,
      (page) => page.getByLabel('Card title').fill('Not saved'),
    ],
  ];

  test('pass the accessibility check, light and dark', async () => {
    const page = await open(owner, mainPath);
    for (const [name, path, act] of openings) {
      await page.emulateMedia({ colorScheme: 'light' });
      // Starts from another page, so that nothing opened before is left: navigation doesn't close the palette and the menu.
      await page.keyboard.press('Escape');
      // A key that is shown only once is not left without a question.
      const done = page.getByRole('button', { name: 'Done' });
      if (await done.isVisible()) await done.click();
      await navigateTo(page, '/app/nowhere');
      await navigateTo(page, path);
      await act(page);
      expect({ name, barriers: await accessibilityViolations(page) }).toEqual({ name, barriers: [] });
      await page.emulateMedia({ colorScheme: 'dark' });
      expect({ name, dark: await contrastViolations(page) }).toEqual({ name, dark: [] });
    }
  });
});

describe('the focus', () => {
  const focusedText = (page: Page) =>
    page.evaluate(
      () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent,
    );
  const expectFocusOn = async (page: Page, expected: string) => {
    await page
      .waitForFunction(
        (wanted) =>
          (document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent) ===
          wanted,
        expected,
      )
      .catch(async () => expect(await focusedText(page)).toBe(expected));
  };

  test('moves to the next row when a row is deleted, and is never lost', async () => {
    const account = await app.createAccount();
    for (const name of ['one', 'two'])
      await app.call('POST', '/api/v1/api_key', { key: account.key, body: { name } });
    const page = await open(account, '/app/account');
    const rows = page.locator('#api-keys tbody tr');
    const names = async () =>
      (await rows.locator('td:first-child').allInnerTexts()).map((text) => text.trim());
    await rows.nth(2).waitFor();
    const [first = '', second = '', third = ''] = await names();
    await page.getByRole('button', { name: `Delete API key ${second}`, exact: true }).focus();
    await page.keyboard.press('Enter');
    // Cancel has the focus, so that one key press can't delete anything.
    await expectFocusOn(page, 'Cancel');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expectFocusOn(page, `Delete API key ${third}`);
    expect(await names()).toEqual([first, third]);
  });

  test('returns to the element that had it before a dialog, a palette or a menu opened', async () => {
    const page = await open(await app.createAccount(), '/app/organization');
    const invite = page.getByRole('button', { name: 'Invite member' });
    await invite.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await expectFocusOn(page, 'Invite member');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Find anything' }).waitFor();
    await page.keyboard.press('Escape');
    await expectFocusOn(page, 'Invite member');
    await page.getByRole('button', { name: 'My account' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await expectFocusOn(page, 'My account');
  });

  test('stays in an open dialog, and is on the button again after it was busy', async () => {
    const page = await open(await app.createAccount(), '/app/account');
    await page.getByRole('button', { name: 'Add API Key' }).click();
    for (let press = 0; press < 6; press += 1) {
      await page.keyboard.press('Tab');
      const isInside = await page.evaluate(
        () => document.activeElement === document.body || document.activeElement?.closest('dialog') !== null,
      );
      expect(isInside).toBe(true);
    }
    await page.keyboard.press('Escape');
    await page.getByLabel('Your name').fill(`Ada ${Date.now()}`);
    await page.route('**/api/v1/user', (route) => route.abort('connectionrefused'));
    await page.getByRole('button', { name: 'Save name' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('alert').first().waitFor();
    await expectFocusOn(page, 'Save name');
  });
});

test('nothing is animated if reduced motion is requested', async () => {
  const page = await open(owner);
  const moving = await page.evaluate(
    () =>
      [...document.querySelectorAll('*')].filter((element) => {
        const { animationDuration, transitionDuration } = getComputedStyle(element);
        return [animationDuration, transitionDuration].some((text) =>
          text.split(',').some((duration) => Number.parseFloat(duration) > 0),
        );
      }).length,
  );
  expect(moving).toBe(0);
});

test('with forced colours, the state of switches, tabs, the navigation and options is still seen', async () => {
  const page = await open(owner, `/app/links/${linkId}`);
  await page.emulateMedia({ forcedColors: 'active' });
  const groundOf = (element: Element) => getComputedStyle(element).backgroundColor;
  const scans = page.getByRole('switch', { name: 'Count scans separately' });
  const thumb = (element: Element) => getComputedStyle(element, '::before').backgroundColor;
  expect(await scans.evaluate(thumb)).not.toBe(await scans.evaluate(groundOf));
  const off = await scans.evaluate(groundOf);
  await scans.check();
  expect(await scans.evaluate(groundOf)).not.toBe(off);
  expect(await scans.evaluate(thumb)).not.toBe(await scans.evaluate(groundOf));
  await scans.uncheck();
  const tabLine = (name: string) =>
    page
      .locator('.tabs')
      .getByRole('link', { name })
      .evaluate((tab) => getComputedStyle(tab).borderBottomColor);
  expect(await tabLine('Details')).not.toBe(await tabLine('Webhook'));
  const navigation = page.getByRole('navigation', { name: 'Main' });
  const groundIn = (name: string) => navigation.getByRole('link', { name }).evaluate(groundOf);
  expect(await groundIn('Links')).not.toBe(await groundIn('Tags'));
  await page.keyboard.press('Control+k');
  const options = page.getByRole('dialog').getByRole('option');
  await options.nth(1).waitFor();
  expect(await options.first().evaluate(groundOf)).not.toBe(await options.nth(1).evaluate(groundOf));
  await page.keyboard.press('Escape');
  await navigateTo(page, '/app/stats');
  const period = (name: string) => page.getByRole('button', { name, exact: true }).evaluate(groundOf);
  expect(await period('30 days')).not.toBe(await period('7 days'));
  expect(await accessibilityViolations(page)).toEqual([]);
});
