import { afterEach, describe, expect, test } from 'bun:test';
import type { CDPSession, Page } from 'playwright-core';
import { startApp, type TestAccount } from '../support/app.ts';
import { accessibilityViolations, dashboardOf } from '../support/browser.ts';
import { appOfSuite } from '../support/browser-suite.ts';
import { eventually } from '../support/eventually.ts';
import { browserHeadersOf, member } from '../support/members.ts';
import { followLink } from './follow-link.ts';
import { holdBack } from './held-requests.ts';
import { dashboardsInOnePage } from './one-page.ts';

const app = await appOfSuite({ env: { DOMAIN_TARGET: '127.0.0.1' } });
const open = dashboardsInOnePage(app);

const unreachable = "Linnet can't be reached";
/** Requested on every page. */
const domains = '*/api/v1/domain';
const sessions = new Map<Page, CDPSession>();
/** Unlike a route, this keeps the browser's cache, so that a page load doesn't compile the dashboard again. */
const block = async (page: Page, urls: readonly string[]) => {
  const session = sessions.get(page) ?? (await page.context().newCDPSession(page));
  sessions.set(page, session);
  await session.send('Network.enable');
  await session.send('Network.setBlockedURLs', { urls: [...urls] });
};
const blockApi = (page: Page) => block(page, ['*/api/*']);
const unblock = (page: Page) => block(page, []);
afterEach(async () => {
  for (const page of sessions.keys()) if (!page.isClosed()) await unblock(page);
});

interface Fixture {
  readonly owner: TestAccount;
  readonly linkId: number;
  readonly domainId: number;
}

async function newFixture(): Promise<Fixture> {
  const owner = await app.createAccount();
  const create = async (path: string, body: unknown): Promise<number> =>
    (await app.call('POST', path, { key: owner.key, body })).json.id;
  await create('/api/v1/tag', { name: 'Spring' });
  return {
    owner,
    linkId: await create('/api/v1/link', { destination_url: 'https://example.com/' }),
    domainId: await create('/api/v1/domain', { domain: `go${owner.userId}.example.com` }),
  };
}

/** The pages, each with a text that appears once the page has loaded. Those that share answers are in different groups. */
const groupsOf = ({
  linkId,
  domainId,
}: Fixture): readonly (readonly (readonly [path: string, loadedText: string])[])[] => [
  [
    ['/app', '1 link'],
    ['/app/links/deleted', 'Nothing to restore'],
    [`/app/links/${linkId}`, 'Where it leads'],
  ],
  [
    ['/app/domains', 'Waiting for DNS'],
    ['/app/tags', 'Spring'],
    [`/app/links/${linkId}/stats`, 'No clicks yet'],
  ],
  [
    [`/app/domains/${domainId}`, 'DNS records'],
    [`/app/links/${linkId}/visits`, 'No clicks yet'],
    ['/app/organization', 'Members'],
    ['/app/stats', 'No clicks in 30 days'],
  ],
  [
    [`/app/links/${linkId}/webhook`, 'Nothing has been sent yet'],
    ['/app/account', 'tests'],
    ['/app/stats?view=live', 'No clicks yet'],
  ],
];

describe('while the server is unreachable', () => {
  test('every page shows an error, and loads after a retry', async () => {
    const fixture = await newFixture();
    const page = await open(fixture.owner, '/app/nowhere');
    for (const group of groupsOf(fixture)) {
      // A new document has no cached answers.
      await block(page, [domains]);
      await page.goto(`${app.url}/app/nowhere`);
      await page.getByRole('heading', { name: 'Nothing here' }).waitFor();
      for (const [path, loadedText] of group) {
        await blockApi(page);
        await followLink(page, path);
        await page.locator('main').getByRole('alert').filter({ hasText: unreachable }).first().waitFor();
        const text = page.locator('main').getByText(loadedText, { exact: true });
        expect({ path, shown: await text.count() }).toEqual({ path, shown: 0 });
        await unblock(page);
        const retryButtons = page.locator('main').getByRole('button', { name: 'Try again' });
        await retryButtons.first().click();
        // Whatever else has failed is loaded with it.
        await eventually(async () => (await retryButtons.count()) === 0, 'everything to load');
        await text.first().waitFor();
      }
    }
  });

  test('every form keeps its input, and sends it on retry', async () => {
    const { owner, domainId } = await newFixture();
    const page = await open(owner);
    const attempt = async (path: string, label: string, typed: string, button: string, doneText: string) => {
      await followLink(page, path);
      const input = page.locator('main').getByLabel(label, { exact: true });
      await input.fill(typed);
      await blockApi(page);
      await page.getByRole('button', { name: button, exact: true }).click();
      await page.getByRole('alert').filter({ hasText: unreachable }).first().waitFor();
      expect(await input.inputValue()).toBe(typed);
      expect(await accessibilityViolations(page)).toEqual([]);
      await unblock(page);
      await page.getByRole('button', { name: 'Try again' }).first().click();
      await page.getByText(doneText).first().waitFor();
    };
    await attempt('/app', 'Long URL', 'https://example.com/kept', 'Create link', 'example.com/kept');
    await attempt('/app/tags', 'New tag', 'Kept', 'Create tag', 'Tag “Kept” created.');
    await attempt('/app/domains', 'Domain or subdomain', 'kept.example.com', 'Add domain', 'DNS records');
    const target = 'https://example.com/lost';
    await attempt(`/app/domains/${domainId}`, 'Unknown links', target, 'Save', 'Saved.');
    const organization = "The organization's name";
    await attempt('/app/organization', organization, 'Kept & Company', 'Save name', 'Name saved.');
    await attempt('/app/account', 'Your name', 'Kept', 'Save name', 'Name saved.');
  });

  test('an optimistic change is reverted with a message', async () => {
    const { owner } = await newFixture();
    const page = await open(owner, '/app/organization');
    const marker = page.getByRole('switch', { name: 'New links distinguish scans from clicks' });
    await marker.waitFor();
    const { release } = await holdBack(page, '**/api/v1/organization', { method: 'PATCH', fails: true });
    await marker.click();
    expect(await marker.isChecked()).toBe(true);
    release();
    await page.getByRole('alert').filter({ hasText: unreachable }).first().waitFor();
    expect(await marker.isChecked()).toBe(false);
    const { json } = await app.call('GET', '/api/v1/organization', { key: owner.key });
    expect(json.qr_code_marker).toBe(false);
  });

  test('a stopped server is reported too, and the input is kept', async () => {
    const ownApp = await startApp();
    try {
      const account = await ownApp.createAccount();
      const page = await dashboardOf(ownApp, account);
      await page.getByText('Your first link is one paste away').waitFor();
      await ownApp.app.stop();
      await page.getByLabel('Long URL').fill('https://example.com/while-it-is-down');
      await page.getByLabel('Long URL').press('Enter');
      await page.getByRole('alert').filter({ hasText: unreachable }).first().waitFor();
      expect(await page.getByLabel('Long URL').inputValue()).toBe('https://example.com/while-it-is-down');
    } finally {
      await ownApp.stop();
    }
  });
});

test("a response of another server, such as a captive portal, is not taken for Linnet's", async () => {
  const { owner } = await newFixture();
  const page = await open(owner, '/app/nowhere');
  await page.route('**/api/v1/tag', (route) =>
    route.fulfill({ status: 200, contentType: 'text/html', body: '<h1>Welcome to our guests</h1>' }),
  );
  await page.getByRole('link', { name: 'Tags' }).click();
  await page.getByRole('alert').getByText('Something other than Linnet answered').waitFor();
  await page.unroute('**/api/v1/tag');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('1 tag', { exact: true }).waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
});

test('a page that throws shows an error, and the others continue', async () => {
  const { owner } = await newFixture();
  const page = await open(owner, '/app/nowhere');
  await page.route('**/api/v1/tag', (route) => route.fulfill({ json: [null] }));
  await page.getByRole('link', { name: 'Tags' }).click();
  await page.getByRole('heading', { name: 'This page failed' }).waitFor();
  await page.getByRole('alert').getByText('This is a bug in Linnet.').waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  await page.getByRole('link', { name: 'Domains' }).click();
  await page.getByText('Waiting for DNS').waitFor();
  expect(await page.getByText('This page failed').count()).toBe(0);
  await page.unroute('**/api/v1/tag');
  await page.getByRole('link', { name: 'Tags' }).click();
  await page.getByRole('button', { name: 'Reload the page' }).click();
  await page.getByText('1 tag', { exact: true }).waitFor();
});

test("a slow response doesn't replace the input typed meanwhile", async () => {
  const { owner, linkId } = await newFixture();
  const page = await open(owner, '/app/nowhere');
  let release = () => {};
  const requested = new Promise<void>((resolve) => {
    void page.route(`**/api/v1/link/${linkId}`, async (route) => {
      if (route.request().method() !== 'PATCH') return route.continue();
      resolve();
      await new Promise<void>((resume) => {
        release = resume;
      });
      await route.continue();
    });
  });
  await page.goto(`${app.url}/app/links/${linkId}`);
  await page.getByLabel('Name', { exact: true }).fill('first');
  await page.keyboard.press('Control+s');
  await requested;
  await page.getByRole('button', { name: 'Saving changes' }).waitFor();
  await page.getByLabel('Card title').fill('typed meanwhile');
  release();
  await page.getByText('1 unsaved change').waitFor();
  expect(await page.getByLabel('Card title').inputValue()).toBe('typed meanwhile');
  const saved = await app.call('GET', `/api/v1/link/${linkId}`, { key: owner.key });
  expect(saved.json).toMatchObject({ name: 'first', og_title: null });
});

describe('a session', () => {
  const signInAgain = async (page: Page, { password }: TestAccount) => {
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await dialog.getByLabel('Password').fill(password);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await dialog.waitFor({ state: 'detached' });
  };

  test('that ends during a save keeps every change, and the save succeeds after signing in', async () => {
    const { owner, linkId } = await newFixture();
    const page = await open(owner, `/app/links/${linkId}`);
    await page.getByLabel('Name', { exact: true }).fill('Kept over the end');
    await page.getByLabel('Card title').fill('So is this');
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await signInAgain(page, owner);
    // It is read after signing in.
    const sentence = page.getByRole('alert').getByText('Your session had ended, so nothing was done.');
    expect(await sentence.textContent()).toEndWith('nothing was done. Try again.');
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Kept over the end');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Changes saved.').waitFor();
    const saved = await app.call('GET', `/api/v1/link/${linkId}`, { key: owner.key });
    expect(saved.json).toMatchObject({ name: 'Kept over the end', og_title: 'So is this' });
  });

  test('that was ended elsewhere is not asked to be renewed once it is', async () => {
    const { owner, linkId } = await newFixture();
    const page = await open(owner, `/app/links/${linkId}`);
    await page.getByLabel('Name', { exact: true }).fill('Kept');
    const headers = await browserHeadersOf(app, owner);
    expect((await app.call('POST', '/api/v1/user/sign_out_everywhere', { headers })).status).toBe(204);
    await page.getByRole('button', { name: 'Save changes' }).click();
    await signInAgain(page, owner);
    await page.getByRole('alert').getByText('Your session had ended, so nothing was done.').waitFor();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Changes saved.').waitFor();
  });

  test('of a member who was removed ends, and signing in again shows nothing of the organization that was left', async () => {
    const { owner, linkId } = await newFixture();
    const removed = await member(app, owner);
    const page = await open(removed, `/app/links/${linkId}`);
    await page.getByLabel('Name', { exact: true }).fill('Typed before');
    const path = `/api/v1/member/${removed.userId}`;
    expect((await app.call('DELETE', path, { key: owner.key })).status).toBe(204);
    await page.getByRole('button', { name: 'Save changes' }).click();
    await signInAgain(page, removed);
    await page.locator('.notice').getByText(`You are signed in as ${removed.email}, of`).waitFor();
    await page.getByText('There is no such link').waitFor();
    expect(await page.getByText('Where it leads').count()).toBe(0);
  });

  test('of a member whose role has changed shows the new one when the window gets the focus', async () => {
    const { owner } = await newFixture();
    const editor = await member(app, owner, 'administrator');
    const page = await open(editor, '/app/organization');
    const role = page.getByLabel(`Role of ${editor.email}`);
    await role.waitFor();
    const path = `/api/v1/member/${editor.userId}`;
    const body = { role: 'editor' };
    expect((await app.call('PATCH', path, { key: owner.key, body })).status).toBe(200);
    await page.evaluate(() => dispatchEvent(new Event('focus')));
    await role.waitFor({ state: 'detached' });
    await page.getByRole('listitem').filter({ hasText: '(you)' }).getByText('Editor').waitFor();
  });

  test('that ends asks for the password in every window, but only once: the others continue when they get the focus', async () => {
    const { owner } = await newFixture();
    const first = await open(owner, '/app/tags');
    const second = await first.context().newPage();
    await second.goto(`${app.url}/app/account`);
    await second.getByRole('heading', { name: 'My account' }).waitFor();
    await first.getByLabel('New tag').fill('Typed before');
    await first.context().clearCookies();
    // Each window checks the session when it gets the focus, before it sends anything.
    for (const page of [first, second]) {
      await page.evaluate(() => dispatchEvent(new Event('focus')));
      await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
    }
    await signInAgain(second, owner);
    await first.evaluate(() => dispatchEvent(new Event('focus')));
    await first.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await first.getByLabel('New tag').inputValue()).toBe('Typed before');
    expect(await first.getByLabel('Password').count()).toBe(0);
    await first.getByRole('button', { name: 'Create tag' }).click();
    await first.getByText('Tag “Typed before” created.').waitFor();
  });

  test('that another user replaces in another window shows the data of that user, and their email address', async () => {
    const { owner } = await newFixture();
    const otherUser = await app.createAccount();
    await app.call('POST', '/api/v1/tag', { key: otherUser.key, body: { name: 'Of the other' } });
    const page = await open(owner, '/app/tags');
    await page.getByText('Spring').waitFor();
    const { email, password } = otherUser;
    await page.context().request.post(`${app.url}/api/v1/session`, { data: { email, password } });
    await page.evaluate(() => dispatchEvent(new Event('focus')));
    await page.getByText('Of the other').waitFor();
    await page.locator('.notice').getByText(`You are signed in as ${email}`).waitFor();
    expect(await page.getByText('Spring').count()).toBe(0);
  });
});
