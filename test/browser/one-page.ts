import type { BrowserContextOptions, Page } from 'playwright-core';
import type { TestAccount, TestApp } from '../support/app.ts';
import { dashboardOf, keepForSuite } from '../support/browser.ts';
import { followLink } from './follow-link.ts';
import type { LinkPage } from './link-page.ts';

interface SharedPage {
  readonly owner: TestAccount;
  readonly page: Page;
}

/**
 * For suites whose tests need no account of their own: they share one, and a browser page in which each test follows a link to the path
 * that it tests. That takes a fifth of the CPU of loading it. What a test leaves in the browser is undone before the next. A list that was
 * loaded in the last 200 ms is not loaded again, so a test that creates the rows of a list by the API uses `dashboardOf`.
 */
export function onePageOf(app: TestApp): (path: string) => Promise<SharedPage> {
  let shared: SharedPage | undefined;
  let session = '';
  return async (path) => {
    if (!shared || shared.page.isClosed()) {
      const owner = await app.createAccount();
      shared = { owner, page: await dashboardOf(app, owner, path) };
      keepForSuite(shared.page);
      session = await sessionIn(shared.page);
      return shared;
    }
    const { owner, page } = shared;
    await clean(page);
    const isSignedIn = (await sessionIn(page)) === session;
    if (!isSignedIn) {
      await signIn(app, page, owner);
      session = await sessionIn(page);
    }
    await leave(page, isSignedIn, app);
    if (path !== '/app/nowhere') await followLink(page, path);
    return shared;
  };
}

/** Like `linkPagesOf`, in one page. `changes` are made by the API before it shows the link. */
export function linksInOnePage(app: TestApp): (fields?: object, changes?: object) => Promise<LinkPage> {
  const open = onePageOf(app);
  return async (fields = {}, changes) => {
    const { owner, page } = await open('/app/nowhere');
    const { key } = owner;
    const link = await app.createLink(owner, { destination_url: 'https://example.com/before', ...fields });
    const path = `/api/v1/link/${link.id}`;
    const change = async (body: object) => {
      const { status, text } = await app.call('PATCH', path, { key, body });
      if (status !== 200) throw new Error(text);
    };
    if (changes) await change(changes);
    await followLink(page, `/app/links/${link.id}`);
    await page.getByRole('navigation', { name: 'Link' }).waitFor();
    return { owner, link, page, read: async () => (await app.call('GET', path, { key })).json, change };
  };
}

/**
 * Like `dashboardOf`, in one page, which drops what it has loaded, and takes half of the CPU of loading it again. A test that changes
 * functions or styles of the page closes it.
 */
export function dashboardsInOnePage(
  app: TestApp,
  options: BrowserContextOptions = {},
): (account: TestAccount, path?: string) => Promise<Page> {
  let page: Page | undefined;
  let user: TestAccount | undefined;
  let other: TestAccount | undefined;
  let session = '';
  return async (account, path = '/app') => {
    if (!page || page.isClosed()) {
      page = await dashboardOf(app, account, path, options);
      keepForSuite(page);
    } else {
      await clean(page);
      if ((await sessionIn(page)) === session) {
        await leave(page, true, app);
        // For the same user the page would drop nothing.
        if (account === user) {
          other ??= await app.createAccount();
          await becomeUser(app, page, other);
        }
        await becomeUser(app, page, account);
      } else {
        await signIn(app, page, account);
        await leave(page, false, app);
      }
      if (path !== '/app/nowhere') {
        await followLink(page, path);
        await nowhere(page).waitFor({ state: 'detached' });
      }
      await page.locator('main h1').first().waitFor();
    }
    user = account;
    session = await sessionIn(page);
    return page;
  };
}

const nowhere = (page: Page) => page.getByRole('heading', { name: 'Nothing here' });

/** Shows a page without content, and discards what a test has left. */
async function leave(page: Page, isSignedIn: boolean, app: TestApp): Promise<void> {
  if (!isSignedIn || (await hasDialog(page))) await page.goto(`${app.url}/app/nowhere`);
  else await followLink(page, '/app/nowhere');
  const isThere = nowhere(page);
  const question = page.getByRole('dialog', { name: 'Leave this page?' });
  const discard = question.getByRole('button', { name: /^(Discard changes|Leave this page)$/ });
  // A test may have left unsaved input.
  await isThere.or(discard).first().waitFor();
  if (await discard.isVisible()) await discard.click();
  await isThere.waitFor();
  // The page that was left asks no more, a moment after the next is shown.
  await page.waitForFunction(() => dispatchEvent(new Event('beforeunload', { cancelable: true })));
}

async function signIn(app: TestApp, page: Page, { email, password }: TestAccount): Promise<void> {
  await page.request.post(`${app.url}/api/v1/session`, { data: { email, password } });
}

/** As if another user had signed in in another window. */
async function becomeUser(app: TestApp, page: Page, account: TestAccount): Promise<void> {
  await signIn(app, page, account);
  await page.evaluate(() => dispatchEvent(new Event('focus')));
  const notice = page.locator('.notice', { hasText: `You are signed in as ${account.email}, ` });
  await notice.locator('[aria-label=Dismiss]').evaluate((button: HTMLElement) => button.click());
  await notice.waitFor({ state: 'detached' });
}

async function clean(page: Page): Promise<void> {
  const context = page.context();
  page.removeAllListeners();
  await Promise.all([
    ...context.pages().map((other) => other !== page && other.close()),
    page.unrouteAll({ behavior: 'ignoreErrors' }),
    context.setOffline(false),
    page.setViewportSize({ width: 1280, height: 720 }),
    page.emulateMedia({ media: null, colorScheme: 'light', reducedMotion: 'reduce', forcedColors: 'none' }),
    page.evaluate(() => {
      localStorage.clear();
      for (const button of document.querySelectorAll<HTMLElement>('.notice [aria-label=Dismiss]'))
        button.click();
    }),
  ]);
}

const sessionIn = async (page: Page): Promise<string> =>
  JSON.stringify((await page.context().cookies()).map(({ name, value }) => [name, value]).sort());

/** Whether a test has left a dialog open, other than the one that asks whether to discard unsaved input. */
const hasDialog = (page: Page): Promise<boolean> =>
  page.evaluate(() =>
    [...document.querySelectorAll('dialog[open]')].some(
      ({ textContent }) => !textContent?.includes('Leave this page?'),
    ),
  );
