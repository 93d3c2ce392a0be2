import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium as driver,
  type Page,
} from 'playwright-core';
import type { TestAccount, TestApp } from './app.ts';
import { chromiumPath } from './chromium.ts';

let started: Promise<Browser> | undefined;

/** One Chromium from npm for all tests of a run; each test has a context of its own. */
export function browser(): Promise<Browser> {
  if (started) return started;
  const starting = startBrowser();
  started = starting;
  // A browser that crashed is not reused.
  const forget = () => {
    if (started === starting) started = undefined;
  };
  starting.then((launched) => launched.on('disconnected', forget), forget);
  return starting;
}

/** Starts another Chromium, which the test closes. */
export async function startBrowser(env: Readonly<Record<string, string>> = {}): Promise<Browser> {
  return driver.launch({
    executablePath: await chromiumPath(),
    headless: true,
    // Without a UTF-8 locale, file names with non-ASCII letters would be lost.
    env: { ...process.env, LC_ALL: 'C.UTF-8', ...env },
    // The package's own arguments would turn off the browser's security features; the tests need them.
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-dev-shm-usage',
      // Enough to draw a small part of a page: tests only read its layout and its canvases. Screenshots are not made by `bun test`.
      ...(process.env.NODE_ENV === 'test' ? ['--force-gpu-mem-available-mb=1'] : []),
      // A host name that browsers don't treat as loopback, for features that depend on that.
      '--host-resolver-rules=MAP people.example 127.0.0.1',
    ],
  });
}

interface UsedPage {
  readonly page: Page;
  readonly options: BrowserContextOptions;
}

/** Pages of `dashboardOf` and `signedOutPage` that the current test uses. */
const inUse: UsedPage[] = [];
/**
 * Cleaned ones, for further tests of the same app. A new page starts a renderer process, which compiles the dashboard: it takes twice
 * the CPU of loading the dashboard in a page that was used before.
 */
const idle: UsedPage[] = [];
/** Pages that a suite uses for all of its tests. */
const kept = new Set<Page>();

/** The suite cleans this page of `dashboardOf` itself, before each test; it is closed after the suite. */
export function keepForSuite(page: Page): void {
  const index = inUse.findIndex((used) => used.page === page);
  if (index >= 0) inUse.splice(index, 1);
  kept.add(page);
}

/** After a test: cleans its pages of `dashboardOf` and `signedOutPage`, and closes all other contexts. */
export async function releaseContexts(): Promise<void> {
  const contexts = (await started)?.contexts() ?? [];
  for (const used of inUse.splice(0)) if (await isCleaned(used)) idle.push(used);
  const stay = new Set([...idle.map(({ page }) => page), ...kept].map((page) => page.context()));
  await Promise.all(contexts.filter((context) => !stay.has(context)).map((context) => context.close()));
}

/** After a suite. The browser is kept for the next one; it exits with this process, whose pipe it reads. */
export async function closeContexts(): Promise<void> {
  inUse.length = 0;
  idle.length = 0;
  kept.clear();
  await releaseContexts();
}

function takeIdle(options: BrowserContextOptions): Page | undefined {
  const wanted = JSON.stringify(options);
  const index = idle.findIndex((used) => JSON.stringify(used.options) === wanted);
  const [used] = index < 0 ? [] : idle.splice(index, 1);
  return used?.page.isClosed() ? undefined : used?.page;
}

/** False if the test has closed the page, or stopped its app. */
const isCleaned = (used: UsedPage): Promise<boolean> =>
  clean(used).then(
    () => true,
    () => false,
  );

/** Leaves nothing of a test but the browser's cache. A test that adds a script of its own closes its context. */
async function clean({ page, options }: UsedPage): Promise<void> {
  const context = page.context();
  page.removeAllListeners();
  await Promise.all([
    ...context.pages().map((other) => other !== page && other.close()),
    page.unrouteAll({ behavior: 'ignoreErrors' }),
    context.unrouteAll({ behavior: 'ignoreErrors' }),
    context.setOffline(false),
    page.evaluate(() => {
      localStorage.clear();
      sessionStorage.clear();
    }),
  ]);
  // Stops the dashboard's requests. A page without this header, as a blank one, would start another renderer process.
  const headers = { 'cross-origin-opener-policy': 'same-origin' };
  const address = new URL('/app', page.url()).href;
  await page.route(address, (route) => route.fulfill({ headers, body: '' }));
  await page.goto(address, { timeout: 10_000 });
  await page.unrouteAll();
  await Promise.all([
    // Only now, as a late response might set one.
    context.clearCookies(),
    context
      .clearPermissions()
      .then(() => options.permissions && context.grantPermissions(options.permissions)),
    page.setViewportSize(options.viewport ?? { width: 1280, height: 720 }),
    page.emulateMedia({
      media: null,
      colorScheme: options.colorScheme ?? 'light',
      reducedMotion: options.reducedMotion ?? 'reduce',
      forcedColors: options.forcedColors ?? 'none',
      contrast: options.contrast ?? 'no-preference',
    }),
    page.mouse.move(0, 0),
  ]);
}

export async function closeBrowser(): Promise<void> {
  const running = started;
  started = undefined;
  await (await running)?.close();
}

export async function freshContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await (await browser()).newContext({
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    // No animations, so that nothing is inspected halfway through one.
    reducedMotion: 'reduce',
    ...options,
  });
  context.setDefaultTimeout(60_000);
  return context;
}

async function takePage(options: BrowserContextOptions): Promise<Page> {
  const page = takeIdle(options) ?? (await (await freshContext(options)).newPage());
  inUse.push({ page, options });
  return page;
}

/** A page without a session, at `path` of the dashboard. */
export async function signedOutPage(app: TestApp, path: string): Promise<Page> {
  const page = await takePage({});
  await page.goto(app.url + path);
  return page;
}

/** A page with a signed-in session, at `path` of the dashboard. */
export async function dashboardOf(
  app: TestApp,
  { email, password }: Pick<TestAccount, 'email' | 'password'>,
  path = '/app',
  options: BrowserContextOptions = {},
): Promise<Page> {
  const page = await takePage(options);
  const context = page.context();
  const response = await context.request.post(`${app.url}/api/v1/session`, { data: { email, password } });
  if (response.status() !== 201)
    throw new Error(`not signed in: ${response.status()} ${await response.text()}`);
  await page.goto(app.url + path);
  await page.locator('main h1').first().waitFor();
  return page;
}

const axeSource = (): Promise<string> =>
  Bun.file(Bun.resolveSync('axe-core/axe.min.js', import.meta.dir)).text();

const everyRule = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** The accessibility violations that axe finds on the page. */
export const accessibilityViolations = (page: Page): Promise<readonly string[]> =>
  violationsOn(page, everyRule);

/** Only the rules that another colour scheme can break; nothing else differs between schemes. */
export const contrastViolations = (page: Page): Promise<readonly string[]> =>
  violationsOn(page, { type: 'rule', values: ['color-contrast', 'link-in-text-block'] });

async function violationsOn(page: Page, runOnly: unknown): Promise<readonly string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) {
    // By the protocol, as the page's Content-Security-Policy blocks external scripts. The browser compiles it once for each process.
    const session = await page.context().newCDPSession(page);
    await session.send('Runtime.evaluate', { expression: await axeSource() });
    await session.detach();
  }
  return page.evaluate(async (rules) => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(
          options: object,
        ): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>;
      };
    };
    const { violations } = await axe.run({ resultTypes: ['violations'], runOnly: rules });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    );
  }, runOnly);
}
