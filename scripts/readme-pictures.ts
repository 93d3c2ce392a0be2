import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { startApp, type TestAccount, type TestApp } from '../test/support/app.ts';
import { closeBrowser, freshContext } from '../test/support/browser.ts';
import { seedOrganization } from './screenshot-data.ts';

const folder = 'docs/images';
/** This service doesn't exist: its requests are forwarded to the local one. */
const origin = 'https://links.example.com';

/** Takes the three screenshots for the README, of a service on its own domain. */
export async function takeReadmeScreenshots(): Promise<void> {
  await mkdir(folder, { recursive: true });
  const app = await startApp({ env: { BASE_URL: origin, WEBHOOK_ALLOW: '127.0.0.1' } });
  try {
    // At another hour of the day the last point of each line would be near zero.
    app.clock.now = new Date(app.clock.now).setUTCHours(17, 40);
    const owner = await app.createAccount('ada@example.com');
    const { linkId } = await seedOrganization(app, owner, false);
    const page = await pageOf(app, owner);
    await takeScreenshot(page, '/app', 'links');
    await takeScreenshot(page, `/app/links/${linkId}`, 'link');
    await takeScreenshot(page, '/app/stats', 'statistics');
  } finally {
    await closeBrowser();
    await app.stop();
  }
}

async function pageOf(app: TestApp, { email, password }: TestAccount): Promise<Page> {
  const context = await freshContext({ viewport: { width: 1280, height: 800 } });
  await forwardTo(app, context);
  await context.clock.setFixedTime(app.clock.now);
  const page = await context.newPage();
  await page.goto(`${origin}/app`);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  return page;
}

async function forwardTo(app: TestApp, context: BrowserContext): Promise<void> {
  // The browser stores no cookies of responses that a route fulfils.
  const cookies = new Map<string, string>();
  await context.route(`${origin}/**`, async (route) => {
    const request = route.request();
    const url = new URL(request.url());
    // A stream never ends, so it can't be forwarded as one response.
    if (url.pathname.endsWith('/live')) return route.abort();
    const response = await fetch(app.url + url.pathname + url.search, {
      method: request.method(),
      redirect: 'manual',
      headers: {
        ...(await request.allHeaders()),
        host: url.host,
        'accept-encoding': 'identity',
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      },
      body: request.postDataBuffer(),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (name !== undefined && value !== undefined) cookies.set(name, value);
    }
    await route.fulfill({
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: Buffer.from(await response.arrayBuffer()),
    });
  });
}

async function takeScreenshot(page: Page, path: string, name: string): Promise<void> {
  await page.goto(origin + path);
  await page.locator('main h1').first().waitFor();
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  await page.evaluate('document.activeElement?.blur()');
  // Waits for animations to end.
  await page.waitForTimeout(400);
  await page.screenshot({ path: join(folder, `${name}.png`) });
  process.stdout.write(`${join(folder, `${name}.png`)}\n`);
}
