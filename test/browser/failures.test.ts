import { afterEach, describe, expect, test } from 'bun:test';
import type { CDPSession, Page } from 'playwright-core';
import { startApp, type TestAccount } from '../support/app.ts';
import { barriersOn, dashboardOf } from '../support/browser.ts';
import { appOfSuite } from '../support/browser-suite.ts';
import { followLink } from './follow-link.ts';

const app = await appOfSuite({ env: { DOMAIN_TARGET: '127.0.0.1' } });

const testTimeout = 240_000;
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
const gone = (page: Page) => block(page, ['*/api/*']);
const back = (page: Page) => block(page, []);
afterEach(async () => {
  for (const page of sessions.keys()) if (!page.isClosed()) await back(page);
});

interface Fixture {
  readonly owner: TestAccount;
  readonly linkId: number;
  readonly domainId: number;
}

async function newFixture(): Promise<Fixture> {
  const owner = await app.createAccount();
  const make = async (path: string, body: unknown): Promise<number> =>
    (await app.call('POST', path, { key: owner.key, body })).json.id;
  await make('/api/v1/tag', { name: 'Spring' });
  return {
    owner,
    linkId: await make('/api/v1/link', { destination_url: 'https://example.com/' }),
    domainId: await make('/api/v1/domain', { domain: `go${owner.userId}.example.com` }),
  };
}

/** The pages, each with a text that appears once it has loaded. */
const pagesOf = ({ linkId, domainId }: Fixture): readonly (readonly [path: string, sign: string])[] => [
  ['/app', '1 link'],
  ['/app/links/deleted', 'Nothing to restore'],
  [`/app/links/${linkId}`, 'Where it leads'],
  [`/app/links/${linkId}/stats`, 'No clicks yet'],
  [`/app/links/${linkId}/visits`, 'No clicks yet'],
  [`/app/links/${linkId}/webhook`, 'Nothing has been sent yet'],
  ['/app/stats', 'No clicks in 30 days'],
  ['/app/stats?view=live', 'No clicks yet'],
  ['/app/tags', 'Spring'],
  ['/app/domains', 'Waiting for DNS'],
  [`/app/domains/${domainId}`, 'DNS records'],
  ['/app/organization', 'Members'],
  ['/app/account', 'tests'],
];

describe('while the server is away', () => {
  test(
    'every page says so, and loads after a retry',
    async () => {
      const here = await newFixture();
      const page = await dashboardOf(app, here.owner, '/app/nowhere');
      // From here on the scripts of the pages are cached; only their API calls fail.
      for (const [path, sign] of pagesOf(here)) {
        await followLink(page, path);
        await page.locator('main').getByText(sign, { exact: true }).first().waitFor();
      }
      for (const [path, sign] of pagesOf(here)) {
        await block(page, [domains]);
        await page.goto(`${app.url}/app/nowhere`);
        await page.getByRole('heading', { name: 'Nothing here' }).waitFor();
        await gone(page);
        await followLink(page, path);
        const said = page.locator('main').getByRole('alert').filter({ hasText: unreachable }).first();
        await said.waitFor();
        await back(page);
        for (;;) {
          const again = page.locator('main').getByRole('button', { name: 'Try again' });
          const left = await again.count();
          if (left === 0) break;
          await again.first().click();
          await again.nth(left - 1).waitFor({ state: 'detached' });
        }
        await page.locator('main').getByText(sign, { exact: true }).first().waitFor();
      }
    },
    testTimeout,
  );

  test(
    'every form keeps its input, and sends it on retry',
    async () => {
      const { owner, domainId } = await newFixture();
      const page = await dashboardOf(app, owner);
      const attempt = async (path: string, label: string, typed: string, button: string, done: string) => {
        await followLink(page, path);
        const input = page.locator('main').getByLabel(label, { exact: true });
        await input.fill(typed);
        await gone(page);
        await page.getByRole('button', { name: button, exact: true }).click();
        await page.getByRole('alert').filter({ hasText: unreachable }).first().waitFor();
        expect(await input.inputValue()).toBe(typed);
        expect(await barriersOn(page)).toEqual([]);
        await back(page);
        await page.getByRole('button', { name: 'Try again' }).first().click();
        await page.getByText(done).first().waitFor();
      };
      await attempt('/app', 'Long URL', 'https://example.com/kept', 'Create link', 'example.com/kept');
      await attempt('/app/tags', 'New tag', 'Kept', 'Create tag', 'Tag “Kept” created.');
      await attempt('/app/domains', 'Domain or subdomain', 'kept.example.com', 'Add domain', 'DNS records');
      const target = 'https://example.com/lost';
      await attempt(`/app/domains/${domainId}`, 'Unknown links', target, 'Save', 'Saved.');
      const organization = "The organization's name";
      await attempt('/app/organization', organization, 'Kept & Company', 'Save name', 'Name saved.');
      await attempt('/app/account', 'Your name', 'Kept', 'Save name', 'Name saved.');
    },
    testTimeout,
  );

  test('an optimistic change is reverted with a message', async () => {
    const { owner } = await newFixture();
    const page = await dashboardOf(app, owner, '/app/organization');
    const marker = page.getByRole('switch', { name: 'New links distinguish scans from clicks' });
    await marker.waitFor();
    await gone(page);
    await marker.click();
    await page.getByRole('alert').filter({ hasText: unreachable }).first().waitFor();
    await page.waitForFunction(
      () => document.querySelector<HTMLInputElement>('[role=switch]')?.checked === false,
    );
  });

  test('a stop in the middle of a request is reported too, and a restart recovers', async () => {
    const own = await startApp();
    try {
      const who = await own.createAccount();
      const page = await dashboardOf(own, who);
      await page.getByText('Your first link is one paste away').waitFor();
      await own.app.stop();
      await page.getByLabel('Long URL').fill('https://example.com/while-it-is-down');
      await page.getByLabel('Long URL').press('Enter');
      await page.getByRole('alert').filter({ hasText: unreachable }).first().waitFor();
      expect(await page.getByLabel('Long URL').inputValue()).toBe('https://example.com/while-it-is-down');
    } finally {
      await own.stop();
    }
  });
});

test("a response of another server, such as a hotel's network, is not taken for Linnet's", async () => {
  const { owner } = await newFixture();
  const page = await dashboardOf(app, owner, '/app/nowhere');
  await page.route('**/api/v1/tag', (route) =>
    route.fulfill({ status: 200, contentType: 'text/html', body: '<h1>Welcome to our guests</h1>' }),
  );
  await page.getByRole('link', { name: 'Tags' }).click();
  await page.getByRole('alert').getByText('Something other than Linnet answered').waitFor();
  await page.unroute('**/api/v1/tag');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('1 tag', { exact: true }).waitFor();
});

test('a page that fails says so, and the others continue', async () => {
  const { owner } = await newFixture();
  const page = await dashboardOf(app, owner, '/app/nowhere');
  await page.route('**/api/v1/tag', (route) => route.fulfill({ json: [null] }));
  await page.getByRole('link', { name: 'Tags' }).click();
  await page.getByRole('heading', { name: 'This page failed' }).waitFor();
  await page.getByRole('alert').getByText('This is a bug in Linnet.').waitFor();
  expect(await barriersOn(page)).toEqual([]);
  await page.getByRole('link', { name: 'Domains' }).click();
  await page.getByText('Waiting for DNS').waitFor();
  expect(await page.getByText('This page failed').count()).toBe(0);
  await page.unroute('**/api/v1/tag');
  await page.getByRole('link', { name: 'Tags' }).click();
  await page.getByRole('button', { name: 'Reload the page' }).click();
  await page.getByText('1 tag', { exact: true }).waitFor();
});

test("a slow response doesn't move the page, and input from before it is kept", async () => {
  const { owner, linkId } = await newFixture();
  const page = await dashboardOf(app, owner, '/app/nowhere');
  let answer = () => {};
  const asked = new Promise<void>((resolve) => {
    void page.route(`**/api/v1/link/${linkId}`, async (route) => {
      if (route.request().method() !== 'PATCH') return route.continue();
      resolve();
      await new Promise<void>((go) => {
        answer = go;
      });
      await route.continue();
    });
  });
  await page.goto(`${app.url}/app/links/${linkId}`);
  await page.getByLabel('Name', { exact: true }).fill('first');
  await page.keyboard.press('Control+s');
  await asked;
  await page.getByRole('button', { name: 'Saving changes' }).waitFor();
  await page.getByLabel('Card title').fill('typed meanwhile');
  answer();
  await page.getByText('1 unsaved change').waitFor();
  expect(await page.getByLabel('Card title').inputValue()).toBe('typed meanwhile');
  const saved = await app.call('GET', `/api/v1/link/${linkId}`, { key: owner.key });
  expect(saved.json).toMatchObject({ name: 'first', og_title: null });
});

describe('a session', () => {
  const signInAgain = async (page: Page, { password }: TestAccount) => {
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.waitFor();
    expect(await barriersOn(page)).toEqual([]);
    await dialog.getByLabel('Password').fill(password);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await dialog.waitFor({ state: 'detached' });
  };

  test('that ends during a save keeps every change, and the save succeeds after signing in', async () => {
    const { owner, linkId } = await newFixture();
    const page = await dashboardOf(app, owner, `/app/links/${linkId}`);
    await page.getByLabel('Name', { exact: true }).fill('Kept over the end');
    await page.getByLabel('Card title').fill('So is this');
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await signInAgain(page, owner);
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Kept over the end');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Changes saved.').waitFor();
    const saved = await app.call('GET', `/api/v1/link/${linkId}`, { key: owner.key });
    expect(saved.json).toMatchObject({ name: 'Kept over the end', og_title: 'So is this' });
  });

  test('that ends in one window asks once: the other continues when it is opened', async () => {
    const { owner } = await newFixture();
    const first = await dashboardOf(app, owner, '/app/tags');
    const second = await first.context().newPage();
    await second.goto(`${app.url}/app/account`);
    await second.getByRole('heading', { name: 'My account' }).waitFor();
    await first.getByLabel('New tag').fill('Typed before');
    await first.context().clearCookies();
    // Each window notices when it gets the focus, before it sends anything.
    for (const page of [first, second]) {
      await page.evaluate(() => dispatchEvent(new Event('focus')));
      await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
    }
    await signInAgain(second, owner);
    await first.evaluate(() => dispatchEvent(new Event('focus')));
    await first.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await first.getByLabel('New tag').inputValue()).toBe('Typed before');
    await first.getByRole('button', { name: 'Create tag' }).click();
    await first.getByText('Tag “Typed before” created.').waitFor();
  });

  test('that another user replaced in another window shows their links, and says whose they are', async () => {
    const { owner } = await newFixture();
    const other = await app.createAccount();
    await app.call('POST', '/api/v1/tag', { key: other.key, body: { name: 'Of the other' } });
    const page = await dashboardOf(app, owner, '/app/tags');
    await page.getByText('Spring').waitFor();
    const { email, password } = other;
    await page.context().request.post(`${app.url}/api/v1/session`, { data: { email, password } });
    await page.evaluate(() => dispatchEvent(new Event('focus')));
    await page.getByText('Of the other').waitFor();
    await page.locator('.notice').getByText(`You are signed in as ${email}`).waitFor();
    expect(await page.getByText('Spring').count()).toBe(0);
  });
});
