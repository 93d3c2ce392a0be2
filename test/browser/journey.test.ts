import { afterAll, expect, test } from 'bun:test';
import { startApp } from '../support/app.ts';
import { closeContexts, freshContext } from '../support/browser.ts';
import { scaledToLoad } from '../support/scaled-to-load.ts';

afterAll(closeContexts);

const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true } as const;

test('on a phone: from a fresh instance to a first copied link, and to its first click, live', async () => {
  const app = await startApp({ env: { REGISTRATION: 'closed' } });
  const context = await freshContext({ ...phone, permissions: ['clipboard-read', 'clipboard-write'] });
  try {
    const page = await context.newPage();
    await page.goto(app.url);
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByLabel('Password').fill('correct horse battery');
    await page.getByRole('button', { name: 'Create account' }).tap();
    await page.getByText('Your first link is one paste away').waitFor();

    await page.getByLabel('Long URL').fill('https://example.com/from-a-phone');
    await page.getByRole('button', { name: 'Create link' }).tap();
    const newLink = page.getByRole('region', { name: 'New link' });
    await newLink.getByText('Created and copied').waitFor();
    const shortUrl = (await newLink.getByRole('link').first().getAttribute('href')) ?? '';
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(shortUrl);
    // The short URL is shown whole, without horizontal scrolling.
    expect(await newLink.locator('.made-short').innerText()).toBe(shortUrl.replace('http://', ''));
    const { clientWidth, scrollWidth } = await page.evaluate(() => ({
      clientWidth: document.documentElement.clientWidth,
      scrollWidth: document.documentElement.scrollWidth,
    }));
    expect(scrollWidth).toBe(clientWidth);

    await page.getByRole('button', { name: /^More about/ }).tap();
    await page.getByRole('link', { name: 'Show statistics' }).tap();
    await page.getByText('No clicks yet').waitFor();
    await page.getByRole('link', { name: 'Visits' }).tap();
    await page.getByText('Live: new hits appear automatically.').waitFor();
    const visitedAt = Date.now();
    expect((await app.visit(shortUrl)).headers.get('location')).toBe('https://example.com/from-a-phone');
    await page.locator('[data-hit]').filter({ hasText: 'Chrome on Linux' }).waitFor();
    expect(Date.now() - visitedAt).toBeLessThan(scaledToLoad(3_000));
    // The list shows the click, too.
    await page.getByRole('link', { name: 'Links', exact: true }).tap();
    await page.locator('.row-clicks[title="1 click: statistics"]').waitFor();
  } finally {
    await context.close();
    await app.stop();
  }
});
