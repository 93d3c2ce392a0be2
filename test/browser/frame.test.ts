import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { startApp, type TestAccount } from '../support/app.ts';
import { accessibilityViolations, signedOutPage } from '../support/browser.ts';
import { appOfSuite } from '../support/browser-suite.ts';
import { eventually } from '../support/eventually.ts';
import { holdBack } from './held-requests.ts';
import { dashboardsInOnePage } from './one-page.ts';

const app = await appOfSuite();
const open = dashboardsInOnePage(app);

const password = 'correct horse battery';

/** Everything that the first visit of the page loads before any interaction. */
async function firstLoad(encoding: string): Promise<{ bytes: number; page: string }> {
  const load = (path: string) =>
    fetch(app.url + path, { headers: { 'accept-encoding': encoding }, decompress: false } as RequestInit);
  const page = await (await fetch(`${app.url}/app`, { headers: { 'accept-encoding': 'identity' } })).text();
  const assets = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+\.(?:js|css))"/g)].map(
    (match) => match[1] ?? '',
  );
  expect(assets.length).toBeGreaterThan(1);
  let bytes = 0;
  for (const asset of assets) {
    const response = await load(asset);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-encoding')).toBe(encoding);
    bytes += (await response.arrayBuffer()).byteLength;
  }
  return { bytes, page };
}

test.each(['br', 'gzip'])('the first load is at most 70 KB of script and style (%s)', async (encoding) => {
  const { bytes } = await firstLoad(encoding);
  expect(bytes).toBeLessThan(70 * 1024);
});

test.each([
  ['br;q=0, gzip', 'gzip'],
  ['gzip;q=1.0, br;q=0.8', 'br'],
  ['br; q=0.000, gzip;q=0, x-br', null],
])('of the encodings %s, %s is used', async (header, coding) => {
  const headers = { 'accept-encoding': header };
  const response = await fetch(`${app.url}/app`, { headers, decompress: false } as RequestInit);
  expect(response.headers.get('content-encoding')).toBe(coding);
});

test('the page only allows scripts and styles from its own files', async () => {
  const response = await fetch(`${app.url}/app`);
  const policy = response.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self'");
  expect(policy).not.toMatch(/unsafe|\*/);
  expect(await response.text()).not.toMatch(/<script>|<style|\son\w+=/);
});

test('files of the dashboard are cached permanently under a name that changes with them, the page never is', async () => {
  const { page } = await firstLoad('br');
  const script = /src="(\/assets\/[^"]+)"/.exec(page)?.[1] ?? '';
  expect((await fetch(app.url + script)).headers.get('cache-control')).toContain('immutable');
  expect((await fetch(`${app.url}/app/anything`)).headers.get('cache-control')).toBe('no-cache');
  expect((await fetch(`${app.url}/assets/no-such-file.js`)).status).toBe(404);
});

test('the root of the service leads to the dashboard, that of custom domains does not', async () => {
  const root = await fetch(`${app.url}/`, { redirect: 'manual' });
  expect(root.status).toBe(302);
  expect(root.headers.get('location')).toBe('/app');
  // Without an account, the setup page is served under any host name.
  await app.createAccount();
  const response = await fetch(`${app.url}/app`, { headers: { host: 'somewhere.example.com' } });
  expect(await response.text()).not.toContain('/assets/index');
});

test('a fresh instance asks for its first account, signs it in, and never asks again', async () => {
  const fresh = await startApp();
  try {
    const page = await signedOutPage(fresh, '/');
    await page.getByRole('heading', { name: 'Set up Linnet' }).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByLabel('Password').fill(password);
    await page.getByLabel('Organization').fill('Ada & Company');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    const user = await page.context().request.get(`${fresh.url}/api/v1/user`);
    expect(await user.json()).toMatchObject({ email: 'ada@example.com', role: 'administrator' });
    const organization = await page.context().request.get(`${fresh.url}/api/v1/organization`);
    expect(await organization.json()).toMatchObject({ name: 'Ada & Company' });
    // In another browser.
    await page.context().clearCookies();
    await page.goto(fresh.url);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.getByLabel('Organization').count()).toBe(0);
  } finally {
    await fresh.stop();
  }
});

test("signing in shows the API's error messages, and signing out ends the session", async () => {
  const { email } = await app.createAccount();
  const page = await signedOutPage(app, '/app/tags');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill('not this one');
  await page.getByRole('button', { name: 'Sign in' }).click();
  const response = await app.call('POST', '/api/v1/auth/create_tokens', {
    body: { email, password: 'not this one' },
  });
  await page.getByRole('alert').getByText(response.json.error_string).waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Tags', exact: true }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/app/tags');
  expect(await page.getByRole('alert').count()).toBe(0);
  await page.getByRole('button', { name: 'My account' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  // The remaining cookie grants no access: it only shows that this browser has signed in before.
  const remaining = (await page.context().cookies()).filter(({ value }) => value !== '');
  expect(remaining.map(({ name }) => name)).toEqual(['linnet_known']);
});

/** Waits until its lists have loaded; other tests cover lists that can't be loaded. */
async function accountPage(account: TestAccount): Promise<Page> {
  const page = await open(account, '/app/account');
  for (const name of ['API Keys', 'Sessions'])
    await page.getByRole('region', { name }).getByRole('table').waitFor();
  return page;
}

test('after a session has ended, the page asks to sign in, stays open, and keeps the input', async () => {
  const account = await app.createAccount();
  const page = await accountPage(account);
  await page.getByLabel('Your name').fill('Ada, in the middle of typing');
  await page.context().clearCookies();
  await page.getByRole('button', { name: 'Save name' }).click();
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.getByLabel('Password').fill(password);
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await page.getByLabel('Your name').inputValue()).toBe('Ada, in the middle of typing');
  await page.getByRole('button', { name: 'Save name' }).click();
  await page.getByText('Name saved.').waitFor();
  const { json } = await app.call('GET', '/api/v1/user', { key: account.key });
  expect(json.name).toBe('Ada, in the middle of typing');
});

test('a lost network is reported, the input is kept, and trying again works', async () => {
  const account = await app.createAccount();
  const page = await accountPage(account);
  await page.getByLabel('Your name').fill('Grace');
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'Save name' }).click();
  await page.getByRole('alert').getByText("Linnet can't be reached").waitFor();
  expect(await page.getByLabel('Your name').inputValue()).toBe('Grace');
  await page.context().setOffline(false);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('Name saved.').waitFor();
  expect((await app.call('GET', '/api/v1/user', { key: account.key })).json.name).toBe('Grace');
});

const openPalette = async (page: Page) => {
  await page.keyboard.press('Control+k');
  await page.locator('.palette input:focus').waitFor();
};

test('the palette finds a page, a link and a tag by keyboard alone', async () => {
  const account = await app.createAccount();
  const tag = await app.call('POST', '/api/v1/tag', { key: account.key, body: { name: 'Harvest' } });
  const link = await app.createLink(account, { suffix: 'harvest-2027' });
  const page = await open(account);
  await openPalette(page);
  await page.keyboard.type('harvest-2027');
  await page.getByRole('option', { name: /harvest-2027/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/app/links/${link.id}`);
  await openPalette(page);
  await page.keyboard.type('Doma');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/app/domains');
  await openPalette(page);
  await page.keyboard.type('harvest');
  await page.getByRole('option', { name: /^Harvest/ }).waitFor();
  expect(await page.getByRole('option').allInnerTexts()).toEqual([
    expect.stringContaining('harvest-2027'),
    expect.stringMatching(/^Harvest\s+Tag$/),
  ]);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/app?tag=${tag.json.id}`);
  expect(await page.getByRole('dialog').count()).toBe(0);
});

test('if Enter is pressed before the search has finished, the palette opens its result, not an earlier one', async () => {
  const account = await app.createAccount();
  const [, wanted] = await Promise.all(
    ['eager-1', 'eager-2'].map((suffix) => app.createLink(account, { suffix })),
  );
  const page = await open(account);
  await openPalette(page);
  await page.keyboard.type('eager-1');
  await page.getByRole('option', { name: /eager-1/ }).waitFor();
  const { release } = await holdBack(page, '**/api/v1/link?*', { method: 'GET' });
  await page.keyboard.press('Backspace');
  await page.keyboard.type('2');
  await page.keyboard.press('Enter');
  expect(await page.getByText('Nothing has that name.').count()).toBe(0);
  release();
  await page.waitForURL(`**/app/links/${wanted?.id}`);
});

test('in a low window, the palette scrolls to the option that the arrow keys lead to', async () => {
  const page = await open(await app.createAccount());
  await page.setViewportSize({ width: 900, height: 320 });
  await page.keyboard.press('Control+k');
  const isShown = (name: string) =>
    page.getByRole('option', { name }).evaluate((option) => {
      const { bottom } = option.getBoundingClientRect();
      return bottom <= (option.closest('dialog')?.getBoundingClientRect().bottom ?? 0);
    });
  await page.getByRole('option', { name: 'New link' }).waitFor();
  expect(await isShown('API keys')).toBe(false);
  const options = await page.getByRole('option').count();
  for (let steps = 1; steps < options; steps += 1) await page.keyboard.press('ArrowDown');
  await page.getByRole('option', { name: 'API keys', selected: true }).waitFor();
  await eventually(() => isShown('API keys'), 'the last option is in sight');
});

test('the palette leads to the API keys from the same page too, as often as it is asked', async () => {
  const page = await accountPage(await app.createAccount());
  await page.setViewportSize({ width: 1280, height: 400 });
  for (const _ of ['first', 'second']) {
    await page.evaluate(() => scrollTo(0, 0));
    await openPalette(page);
    await page.keyboard.type('API keys');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => scrollY > 0);
  }
  await page.getByRole('button', { name: 'My account' }).click();
  await page.getByRole('link', { name: 'My account' }).click();
  await page.waitForURL('**/app/account');
  await page.goBack();
  await page.waitForURL('**/app/account#api-keys');
  await page.goBack();
  await page.waitForURL('**/app/account');
});

test('the skip link, the first element of every page, moves the focus past the navigation', async () => {
  const page = await open(await app.createAccount(), '/app/tags');
  // It takes the focus when the list has loaded.
  await page.getByLabel('New tag').and(page.locator(':focus')).waitFor();
  await page.getByRole('link', { name: 'Skip to content' }).focus();
  await page.keyboard.press('Enter');
  await page.locator('#main:focus').waitFor();
  await page.keyboard.press('Tab');
  expect(await page.locator('#main :focus').count()).toBe(1);
  expect(new URL(page.url()).pathname).toBe('/app/tags');
});

test('a field that appears when its list has loaded takes the focus from no user who has moved it', async () => {
  const page = await open(await app.createAccount(), '/app/account');
  const { release } = await holdBack(page, '**/api/v1/tag', { method: 'GET' });
  await page.goto(`${app.url}/app/tags`);
  await page.getByRole('link', { name: 'Skip to content' }).focus();
  await page.keyboard.press('Enter');
  await page.locator('#main:focus').waitFor();
  release();
  await page.getByLabel('New tag').waitFor();
  expect(await page.locator('#main:focus').count()).toBe(1);
  await page.unroute('**/api/v1/tag');
});

test("the question mark lists the page's shortcuts", async () => {
  const account = await app.createAccount();
  const link = await app.createLink(account);
  const page = await open(account, `/app/links/${link.id}`);
  await page.getByRole('navigation', { name: 'Link' }).waitFor();
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await dialog.waitFor();
  const shortcuts = await dialog.innerText();
  for (const text of ['Find anything', 'New link', 'Save changes']) expect(shortcuts).toContain(text);
  expect(shortcuts).not.toContain('Search links');
  expect(await accessibilityViolations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

test('the chosen theme stays after the page is reloaded', async () => {
  const page = await open(await app.createAccount());
  const background = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
  const light = await background();
  for (const name of ['Theme: system', 'Theme: light']) {
    await page.getByRole('button', { name: 'My account' }).click();
    await page.getByRole('button', { name, exact: true }).click();
  }
  const dark = await background();
  expect(dark).not.toBe(light);
  await page.reload();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  expect(await background()).toBe(dark);
  // Paper is light.
  await page.emulateMedia({ media: 'print' });
  expect(await background()).toBe(light);
  await page.emulateMedia({ media: null });
  await page.getByRole('button', { name: 'My account' }).click();
  await page.getByRole('button', { name: 'Theme: dark', exact: true }).click();
  expect(await background()).toBe(light);
});

test('the navigation stays on one line, and in the window, on tablets', async () => {
  const page = await open(await app.createAccount());
  const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link');
  for (const width of [641, 680, 720, 741, 768]) {
    await page.setViewportSize({ width, height: 600 });
    const heights = await links.evaluateAll((all) => all.map((link) => link.getBoundingClientRect().height));
    expect(Math.max(...heights)).toBeLessThan(40);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  }
});
