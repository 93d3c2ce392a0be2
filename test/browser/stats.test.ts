import { describe, expect, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { dashboardOf } from '../support/browser.ts';
import { seedHits } from '../support/hits.ts';
import { followLink } from './follow-link.ts';
import { bar, phoneUserAgent, startStatsApp, statsOf, title, waitUntilLive } from './stats-pages.ts';

const app = await startStatsApp();
const { newFixture, dashboard } = statsOf(app);

describe('a visit', () => {
  test('of a link that can not be loaded now shows its number, and only of a deleted link that it was deleted', async () => {
    const { owner, link, visit } = await newFixture();
    await visit({ country: 'FR' });
    const page = await dashboard(owner, '/app/tags');
    await page.route(`**/api/v1/link/${link.id}`, (route) => route.abort());
    const name = page.locator('.hit-link');
    const live = async () => {
      await page.getByRole('link', { name: 'Statistics' }).click();
      await page.getByRole('link', { name: 'Live', exact: true }).click();
      await name.waitFor();
    };
    await live();
    await name.getByRole('link', { name: `Link ${link.id}` }).waitFor();
    // Long enough to show that the failed request doesn't make it a deleted link.
    await page.waitForTimeout(300);
    expect(await name.innerText()).toBe(`Link ${link.id}`);
    await page.unroute(`**/api/v1/link/${link.id}`);
    await app.call('DELETE', `/api/v1/link/${link.id}`, { key: owner.key });
    await page.getByRole('link', { name: 'Tags' }).click();
    await live();
    await name.getByText(`Link ${link.id}, deleted`).waitFor();
  });

  test('appears on the page of its link and in the live view of all, at the top, while they are open', async () => {
    const { owner, link, visit } = await newFixture();
    const visits = await dashboard(owner, `/app/links/${link.id}/visits`);
    const all = await dashboardOf(app, owner, '/app/stats?view=live');
    for (const page of [visits, all]) {
      await waitUntilLive(page);
      await page.getByText('No clicks yet').waitFor();
    }
    await visit({ country: 'FR' });
    for (const page of [visits, all]) await page.locator('[data-hit]', { hasText: 'France' }).waitFor();
    await visit({ country: 'JP', userAgent: phoneUserAgent, query: '?qr&utm_source=poster' });
    for (const page of [visits, all]) {
      await page.locator('[data-hit]', { hasText: 'Japan' }).waitFor();
      expect(await page.locator('[data-hit]').first().innerText()).toMatch(
        /Click[\s\S]*Japan[\s\S]*Safari on iOS[\s\S]*poster[\s\S]*QR code/,
      );
      // Screen readers announce it, too.
      await page.getByText('Click from Japan, Safari on iOS.').waitFor({ state: 'attached' });
    }
    await all
      .getByRole('link', { name: link.url.replace('http://', '') })
      .first()
      .waitFor();
    expect(await visits.getByText('2 clicks in all.').count()).toBe(1);
    // A bot's visit isn't a click: it is shown on request, with the reason.
    await visit({ userAgent: 'curl/8.5.0' });
    await visits.getByLabel('Show').selectOption({ label: 'Everything' });
    await visits.locator('[data-hit]', { hasText: 'Bot' }).waitFor();
    await visits.getByText('A program or script, not a browser').waitFor();
    // The stream may deliver it before the earlier ones have loaded.
    await visits.locator('[data-hit]').nth(2).waitFor();
    expect(await visits.locator('[data-hit]').count()).toBe(3);
    expect(visits.url()).toEndWith('?show=all');
    expect(await all.locator('[data-hit]').count()).toBe(2);
  });

  test("is counted even if it arrives before a response that doesn't include it", async () => {
    const { owner, link, visit } = await newFixture();
    const page = await dashboard(owner, `/app/links/${link.id}`);
    const secondRead = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    let reads = 0;
    await page.route('**/clicks?*', async (route) => {
      const response = await route.fetch();
      reads += 1;
      // The second read happens when the stream starts.
      if (reads === 2) secondRead.resolve();
      if (reads > 1) await released.promise;
      await route.fulfill({ response });
    });
    await page.getByRole('navigation', { name: 'Link' }).getByRole('link', { name: 'Visits' }).click();
    await secondRead.promise;
    await visit({ country: 'FR' });
    await page.locator('[data-hit]', { hasText: 'France' }).waitFor();
    const lateResponse = page.waitForResponse('**/clicks?*');
    released.resolve();
    await (await lateResponse).finished();
    await visit({ country: 'JP' });
    await page.locator('[data-hit]', { hasText: 'Japan' }).waitFor();
    expect(await page.getByText(/clicks? in all\./).innerText()).toStartWith('2 clicks in all.');
  });

  test('waits while the view is paused, and while the user is scrolled down', async () => {
    const { owner, link, visit } = await newFixture();
    for (let visits = 0; visits < 30; visits++) await visit();
    await app.app.clicks.settled();
    const page = await dashboard(owner, `/app/links/${link.id}/visits`);
    await waitUntilLive(page);
    const rows = page.locator('[data-hit]');
    const newest = await rows.first().getAttribute('data-hit');
    await page.getByRole('button', { name: 'Pause' }).click();
    await visit({ country: 'JP' });
    const newClicks = page.getByRole('button', { name: 'Show 1 new click' });
    await newClicks.waitFor();
    expect(await rows.first().getAttribute('data-hit')).toBe(newest);
    await page.keyboard.press('p');
    await rows.filter({ hasText: 'Japan' }).waitFor();
    await page.mouse.wheel(0, 900);
    await page.waitForFunction(() => scrollY > 400);
    const before = await rows.nth(20).boundingBox();
    await visit({ country: 'FR' });
    await newClicks.waitFor();
    expect(await rows.nth(20).boundingBox()).toEqual(before);
    await newClicks.click();
    await rows.filter({ hasText: 'France' }).waitFor();
  });

  test('is in a list with pages, and all visits in a file', async () => {
    const { owner, link, visit } = await newFixture();
    for (let visits = 0; visits < 103; visits++) await visit();
    await app.app.clicks.settled();
    const page = await dashboard(owner, `/app/links/${link.id}/visits`);
    const rows = page.locator('[data-hit]');
    const older = page.getByRole('button', { name: 'Show older clicks' });
    await older.click();
    await rows.nth(99).waitFor();
    await older.click();
    await rows.nth(102).waitFor();
    await older.waitFor({ state: 'detached' });
    const ids = await rows.evaluateAll((all) => all.map((row) => Number(row.getAttribute('data-hit'))));
    expect(ids).toEqual(ids.toSorted((a, b) => b - a));
    expect(new Set(ids).size).toBe(103);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export as CSV' }).click(),
    ]);
    const lines = (await readFile(await file.path(), 'utf8')).trim().split('\r\n');
    expect(lines).toHaveLength(104);
  });

  test('that is too old to be listed is said to be so', async () => {
    const { owner, link } = await newFixture();
    const hit = { link: link.id, organization: owner.organizationId, at: '2020-02-03T04:05:06Z' };
    await seedHits(app.app.context.database, [hit]);
    const page = await dashboard(owner, `/app/links/${link.id}/visits`);
    await page.getByText('1 click in all.').waitFor();
    await page.getByRole('heading', { name: 'No individual clicks are left' }).waitFor();
    await page.getByLabel('Show', { exact: true }).selectOption('Bots');
    await page.getByRole('heading', { name: 'None of this kind yet' }).waitFor();
  });

  test('is not missed when the stream fails: the page shows the error, and loads missed visits automatically', async () => {
    const { owner, link, visit } = await newFixture();
    const page = await dashboard(owner, `/app/links/${link.id}`);
    let isRefused = true;
    await page.route('**/clicks/live*', (route) =>
      isRefused
        ? route.fulfill({
            status: 429,
            json: {
              status_code: 429,
              error_code: 'TOO_MANY_STREAMS',
              error_string: 'Too many streams of clicks are open. Close one, or try again in a while.',
            },
          })
        : route.continue(),
    );
    await page.getByRole('navigation', { name: 'Link' }).getByRole('link', { name: 'Visits' }).click();
    await page.getByText('Too many streams of clicks are open.').waitFor();
    // More than one page, to check that there is no gap between them.
    await page.getByText('No clicks yet').waitFor();
    for (let visits = 0; visits < 60; visits++) await visit();
    await visit({ country: 'FR' });
    await app.app.clicks.settled();
    isRefused = false;
    const rows = page.locator('[data-hit]');
    await rows.filter({ hasText: 'France' }).waitFor();
    await waitUntilLive(page);
    await page.getByRole('button', { name: 'Show older clicks' }).click();
    await rows.nth(60).waitFor();
    const ids = await rows.evaluateAll((all) => all.map((row) => Number(row.getAttribute('data-hit'))));
    const { json } = await app.call('GET', `/api/v1/link/${link.id}/clicks?limit=100`, { key: owner.key });
    expect(ids).toEqual(json.clicks.map(({ id }: { id: number }) => id));
  });
});

test.each([
  ['its stream reports it', async () => {}],
  ['another request reports it first', (page: Page) => page.evaluate("dispatchEvent(new Event('focus'))")],
] as const)(
  'an ended session ends the live view, which continues after signing in again: %s',
  async (_, detect) => {
    const { owner, link, visit } = await newFixture();
    await visit({ country: 'FR' });
    const page = await dashboard(owner, `/app/links/${link.id}/visits`);
    await waitUntilLive(page);
    const headers = { origin: app.url };
    await page.context().request.delete(`${app.url}/api/v1/session`, { headers });
    await detect(page);
    await page.getByText('Your session has ended. Hits that arrive meanwhile').waitFor();
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.getByLabel('Password').fill(owner.password);
    await visit({ country: 'JP' });
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await waitUntilLive(page);
    await page.locator('[data-hit]', { hasText: 'Japan' }).waitFor();
    expect(await page.locator('[data-hit]').count()).toBe(2);
    await page.getByRole('alert').waitFor({ state: 'detached' });
  },
);

test("visitors' texts are shown as text and never run as scripts", async () => {
  const { owner, link, visit } = await newFixture();
  const payload = '<img src=x onerror="window.ran=1"><script>window.ran=1</script>';
  const tags = new URLSearchParams({
    utm_source: payload,
    utm_medium: `"><svg onload=window.ran=1>`,
    utm_campaign: 'javascript:window.ran=1',
  });
  await visit({
    query: `?${tags}`,
    userAgent: `Mozilla/5.0 (X11; Linux) AppleWebKit/537.36 Chrome/140.0 ${payload}`,
    headers: { referer: `https://example.org/${payload}`, 'accept-language': payload },
  });
  await visit({ headers: { referer: `https://${encodeURIComponent(payload)}.example/` } });
  await app.app.clicks.settled();
  const page = await dashboard(owner, `/app/links/${link.id}/stats`);
  await bar(page, 'Campaigns', /<img src=x/).click();
  await title(page).filter({ hasText: '1 click' }).waitFor();
  await page.getByRole('button', { name: /UTM source <img src=x/ }).waitFor();
  await followLink(page, `/app/links/${link.id}/visits`);
  await page.getByText('<img src=x onerror=').waitFor();
  // Hostile query parameters in a dashboard URL run no script either.
  const hostile = new URLSearchParams({ country: payload, device: 'constructor', language: '__proto__' });
  await followLink(page, `/app/stats?${hostile}&range=${encodeURIComponent(payload)}`);
  await page.getByRole('button', { name: /Device constructor/ }).waitFor();
  await page.getByText('Nothing matches these filters').waitFor();
  expect(await page.evaluate(() => 'ran' in globalThis)).toBe(false);
});
