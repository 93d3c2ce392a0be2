import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium as driver,
  type Page,
} from 'playwright-core';
import type { Newcomer, TestApp } from './app.ts';
import { chromiumProgram } from './chromium.ts';

let started: Promise<Browser> | undefined;

/** One Chromium from npm for all tests of a run; each test has a context of its own. */
export function browser(): Promise<Browser> {
  if (started) return started;
  const starting = start();
  started = starting;
  // A browser that crashed is not reused.
  const forget = () => {
    if (started === starting) started = undefined;
  };
  starting.then((launched) => launched.on('disconnected', forget), forget);
  return starting;
}

async function start(): Promise<Browser> {
  return driver.launch({
    executablePath: await chromiumProgram(),
    headless: true,
    // Without a UTF-8 locale, file names with non-ASCII letters would be lost.
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
    // The package's own arguments would turn off the browser's security features; the tests need them.
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-dev-shm-usage',
      // A host name that browsers don't treat as loopback, for features that depend on that.
      '--host-resolver-rules=MAP people.example 127.0.0.1',
    ],
  });
}

/** Closes the contexts of a suite. The browser is kept for the next one; it exits with this process, whose pipe it reads. */
export async function closeContexts(): Promise<void> {
  const contexts = (await started)?.contexts() ?? [];
  await Promise.all(contexts.map((context) => context.close()));
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

/** A page with a signed-in session, at `path` of the dashboard. */
export async function dashboardOf(
  app: TestApp,
  { email, password }: Pick<Newcomer, 'email' | 'password'>,
  path = '/app',
  options: BrowserContextOptions = {},
): Promise<Page> {
  const context = await freshContext(options);
  const page = await context.newPage();
  const answer = await context.request.post(`${app.url}/api/v1/session`, { data: { email, password } });
  if (answer.status() !== 201) throw new Error(`not signed in: ${answer.status()} ${await answer.text()}`);
  await page.goto(app.url + path);
  await page.locator('main h1').first().waitFor();
  return page;
}

const axeSource = (): Promise<string> =>
  Bun.file(Bun.resolveSync('axe-core/axe.min.js', import.meta.dir)).text();

const everyRule = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** The accessibility violations that axe finds on the page. */
export const barriersOn = (page: Page): Promise<readonly string[]> => violationsOn(page, everyRule);

/** Only the rules that another colour scheme can break; nothing else differs between schemes. */
export const colourBarriersOn = (page: Page): Promise<readonly string[]> =>
  violationsOn(page, { type: 'rule', values: ['color-contrast', 'link-in-text-block'] });

async function violationsOn(page: Page, runOnly: unknown): Promise<readonly string[]> {
  // Bypasses the page's Content-Security-Policy, which blocks external scripts.
  if (!(await page.evaluate(() => 'axe' in globalThis))) {
    const source = await axeSource();
    await page.evaluate(source);
    // Later documents of this context load it at their start, and the browser compiles it only once.
    await page.context().addInitScript(source);
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
