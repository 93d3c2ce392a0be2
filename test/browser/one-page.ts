import type { BrowserContextOptions, Page } from 'playwright-core';
import type { TestAccount, TestApp } from '../support/app.ts';
import { dashboardOf, keepForSuite } from '../support/browser.ts';
import { followLink, waitUntilLeavable } from './follow-link.ts';
import type { LinkPage } from './link-page.ts';

type User = Pick<TestAccount, 'email' | 'password'>;

interface SharedPage {
  readonly owner: TestAccount;
  readonly page: Page;
}

/**
 * For suites whose tests need no account of their own: they share one, and a browser page in which each test follows a link to the path
 * that it tests. That takes a fifth of the CPU of loading it. What a test leaves in the browser is undone before the next. A list that was
 * loaded in the last 200 ms is not loaded again, so a test that creates the rows of a list by the API uses `dashboardOf`.
 */
function onePageOf(app: TestApp): (path: string) => Promise<SharedPage> {
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
    const hasSession = (await sessionIn(page)) === session;
    if (!hasSession) {
      await signIn(app, page, owner);
      session = await sessionIn(page);
    }
    if (!hasSession || (await hasDialog(page))) await page.goto(`${app.url}/app/nowhere`);
    else await followLink(page, '/app/nowhere');
    await waitUntilNowhere(page);
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
 * Like `dashboardOf`, in one page: each user replaces the one before, as if they had signed in in another window, and a link is followed
 * to the path. That takes half of the CPU of loading it. A test that changes functions or styles of the page closes it.
 */
export function dashboardsInOnePage(
  app: TestApp,
  options: BrowserContextOptions = {},
): (user: User, path?: string) => Promise<Page> {
  let shared: Page | undefined;
  let email = '';
  return async (user, path = '/app') => {
    // For the same user the page would drop nothing of what it has loaded.
    const isAnother = user.email !== email;
    email = user.email;
    if (!shared || shared.isClosed()) {
      shared = await dashboardOf(app, user, path, options);
      keepForSuite(shared);
      return shared;
    }
    const page = shared;
    await clean(page);
    const isReplaced = isAnother && (await isSignedIn(page)) && !(await hasDialog(page));
    if (isReplaced) {
      await followLink(page, '/app/nowhere');
      await waitUntilNowhere(page);
    }
    await signIn(app, page, user);
    if (isReplaced) {
      await page.evaluate(() => dispatchEvent(new Event('focus')));
      const notice = page.locator('.notice', { hasText: `You are signed in as ${email}, ` });
      await notice.locator('[aria-label=Dismiss]').evaluate((button: HTMLElement) => button.click());
      await notice.waitFor({ state: 'detached' });
      if (path !== '/app/nowhere') {
        await followLink(page, path);
        await nowhere(page).waitFor({ state: 'detached' });
      }
    } else await page.goto(app.url + path);
    await page.locator('main h1').first().waitFor();
    return page;
  };
}

const nowhere = (page: Page) => page.getByRole('heading', { name: 'Nothing here' });

const isSignedIn = (page: Page): Promise<boolean> =>
  page.getByRole('navigation', { name: 'Main' }).isVisible();

/** A test may have left unsaved input, which is discarded. */
async function waitUntilNowhere(page: Page): Promise<void> {
  const question = page.getByRole('dialog', { name: 'Leave this page?' });
  const discard = question.getByRole('button', { name: /^(Discard changes|Leave this page)$/ });
  await nowhere(page).or(discard).first().waitFor();
  if (await discard.isVisible()) await discard.click();
  await nowhere(page).waitFor();
  await waitUntilLeavable(page);
}

async function signIn(app: TestApp, page: Page, { email, password }: User): Promise<void> {
  const response = await page.request.post(`${app.url}/api/v1/session`, { data: { email, password } });
  if (!response.ok()) throw new Error(`not signed in: ${await response.text()}`);
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
