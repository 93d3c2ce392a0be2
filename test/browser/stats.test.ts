import { beforeAll, describe, expect, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { browser as laptop, type Newcomer } from '../support/app.ts';
import { barriersOn, dashboardOf } from '../support/browser.ts';
import { appOfSuite } from '../support/browser-suite.ts';

const phone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1';
const patience = 240_000;
const day = 86_400_000;
/**
 * Where it is about noon, and clocks are never changed: a day there has 24 hours, and none ends while this runs. It has
 * most of the UTC day that the visits of this hour lie in, whose visitors are counted together.
 */
const offset = Math.max(-11, new Date().getUTCHours() - 12);
const noonZone = offset === 0 ? 'UTC' : `Etc/GMT${offset > 0 ? '+' : ''}${offset}`;

/** One proxy in front: a visit says by its headers where it comes from. */
const start = () => appOfSuite({ env: { TRUSTED_PROXIES: '1' }, overrides: { heartbeat: 500 } });
const unvisited = await start();
let app = await start();

interface Place {
  readonly owner: Newcomer;
  readonly link: { readonly id: number; readonly url: string };
  /** A visit by somebody who was never here before. */
  visit(more?: {
    readonly country?: string;
    readonly agent?: string;
    readonly query?: string;
    readonly method?: string;
    readonly headers?: Record<string, string>;
  }): Promise<void>;
  stats(query?: string): Promise<StatsAnswer>;
}

interface StatsAnswer {
  readonly totals: { readonly clicks: number; readonly visitors: number | null };
  readonly series: readonly { readonly clicks: number; readonly visitors: number | null }[];
  readonly groups: readonly { readonly value: string | null; readonly clicks: number }[];
}

let visitors = 0;

async function place(fields: object = {}): Promise<Place> {
  const owner = await app.newcomer();
  const made = await app.call('POST', '/api/v1/link', {
    key: owner.key,
    body: { destination_url: 'https://example.com', ...fields },
  });
  expect(made.status).toBe(201);
  const { pathname } = new URL(made.json.url);
  return {
    owner,
    link: made.json,
    async visit({ country = 'DE', agent = laptop, query = '', method = 'GET', headers = {} } = {}) {
      visitors += 1;
      const address = `203.0.${visitors >> 8}.${visitors & 255}`;
      await app.visit(
        pathname + query,
        { 'user-agent': agent, 'x-forwarded-for': address, 'cf-ipcountry': country, ...headers },
        { method },
      );
    },
    async stats(query = '') {
      const { json } = await app.call(
        'GET',
        `/api/v1/link/${made.json.id}/stats?timezone=${encodeURIComponent(noonZone)}&${query}`,
        { key: owner.key },
      );
      return json;
    },
  };
}

/** A month of visits of all kinds, the last of them now. */
async function busyPlace(): Promise<Place> {
  const now = app.clock.now;
  app.clock.now = now - 60 * day;
  const busy = await place();
  const sources = ['?utm_source=newsletter&utm_medium=email&utm_campaign=spring', '?qr', ''];
  for (let visit = 0; visit < 24; visit++) {
    app.clock.now = now - (23 - visit) * day;
    await busy.visit({
      country: ['DE', 'DE', 'FR', 'SG'][visit % 4] ?? 'DE',
      agent: visit % 3 === 0 ? phone : laptop,
      query: sources[visit % 3] ?? '',
      headers: { 'accept-language': visit % 2 ? 'fr' : 'de', referer: 'https://news.example.org/page' },
    });
    // A visitor is known as such on the day of the visit alone.
    await app.app.clicks.settled();
  }
  await busy.visit({ agent: 'WhatsApp/2.23.20.0' });
  await busy.visit({ agent: 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)' });
  await busy.visit({ agent: 'curl/8.5.0' });
  await busy.visit({ headers: { 'sec-purpose': 'prefetch' } });
  await app.app.clicks.settled();
  return busy;
}

const dayBefore = (days: number): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone: noonZone }).format(app.clock.now - days * day);

const boardOf = (busy: Place, query = ''): Promise<Page> =>
  dashboardOf(app, busy.owner, `/app/links/${busy.link.id}/stats${query}`, { timezoneId: noonZone });
const title = (page: Page): Locator => page.locator('.board-title');
const card = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true });
const bar = (page: Page, name: string, value: RegExp): Locator =>
  card(page, name).locator('.bars').getByRole('button', { name: value });
const isLive = (page: Page): Promise<void> => page.getByText('Live: new hits appear').waitFor();
const quiet = async (page: Page): Promise<void> => {
  await page.waitForFunction(() => !document.querySelector('[aria-busy="true"]'));
};

/** The chart has a line of this colour. */
const isDrawnIn = async (page: Page, colour: readonly [number, number, number]): Promise<void> => {
  await page.waitForFunction(([red, green, blue]) => {
    const canvas = document.querySelector<HTMLCanvasElement>('.chart canvas');
    const pixels = canvas?.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
    let found = 0;
    for (let at = 0; at < pixels.length; at += 4)
      if (pixels[at] === red && pixels[at + 1] === green && pixels[at + 2] === blue) found += 1;
    return found > 200;
  }, colour);
};

describe('a visit', () => {
  test(
    'appears on the page of its link and in the live view of all, at the top, while they are looked at',
    async () => {
      const { owner, link, visit } = await place();
      const visits = await dashboardOf(app, owner, `/app/links/${link.id}/visits`);
      const all = await dashboardOf(app, owner, '/app/stats?view=live');
      for (const page of [visits, all]) {
        await isLive(page);
        await page.getByText('No clicks yet').waitFor();
      }
      await visit({ country: 'FR' });
      for (const page of [visits, all]) await page.locator('[data-hit]', { hasText: 'France' }).waitFor();
      await visit({ country: 'JP', agent: phone, query: '?qr&utm_source=poster' });
      for (const page of [visits, all]) {
        await page.locator('[data-hit]', { hasText: 'Japan' }).waitFor();
        expect(await page.locator('[data-hit]').first().innerText()).toMatch(
          /Click[\s\S]*Japan[\s\S]*Safari on iOS[\s\S]*poster[\s\S]*QR code/,
        );
        // Said to who hears it, too.
        await page.getByText('Click from Japan, Safari on iOS.').waitFor({ state: 'attached' });
      }
      await all
        .getByRole('link', { name: link.url.replace('http://', '') })
        .first()
        .waitFor();
      expect(await visits.getByText('2 clicks in all.').count()).toBe(1);
      // A bot is no click: it is there when it is asked for, with the reason.
      await visit({ agent: 'curl/8.5.0' });
      await visits.getByLabel('Show').selectOption({ label: 'Everything' });
      await visits.locator('[data-hit]', { hasText: 'Bot' }).waitFor();
      await visits.getByText('A program or script, not a browser').waitFor();
      // It may come by the stream before those of before have been read.
      await visits.locator('[data-hit]').nth(2).waitFor();
      expect(await visits.locator('[data-hit]').count()).toBe(3);
      expect(visits.url()).toEndWith('?show=all');
      expect(await all.locator('[data-hit]').count()).toBe(2);
    },
    patience,
  );

  test(
    'is counted also when it comes before an answer that knows nothing of it',
    async () => {
      const { owner, link, visit } = await place();
      const page = await dashboardOf(app, owner, `/app/links/${link.id}`);
      const again = Promise.withResolvers<void>();
      const come = Promise.withResolvers<void>();
      let reads = 0;
      await page.route('**/clicks?*', async (route) => {
        const response = await route.fetch();
        reads += 1;
        // The second one is asked for when the stream begins.
        if (reads === 2) again.resolve();
        if (reads > 1) await come.promise;
        await route.fulfill({ response });
      });
      await page.getByRole('navigation', { name: 'Link' }).getByRole('link', { name: 'Visits' }).click();
      await again.promise;
      await visit({ country: 'FR' });
      await page.locator('[data-hit]', { hasText: 'France' }).waitFor();
      const late = page.waitForResponse('**/clicks?*');
      come.resolve();
      await (await late).finished();
      await visit({ country: 'JP' });
      await page.locator('[data-hit]', { hasText: 'Japan' }).waitFor();
      expect(await page.getByText(/clicks? in all\./).innerText()).toStartWith('2 clicks in all.');
    },
    patience,
  );

  test(
    'waits while the view is paused, and while somebody reads further down',
    async () => {
      const { owner, link, visit } = await place();
      for (let visits = 0; visits < 30; visits++) await visit();
      await app.app.clicks.settled();
      const page = await dashboardOf(app, owner, `/app/links/${link.id}/visits`);
      await isLive(page);
      const rows = page.locator('[data-hit]');
      const newest = await rows.first().getAttribute('data-hit');
      await page.getByRole('button', { name: 'Pause' }).click();
      await visit({ country: 'JP' });
      const held = page.getByRole('button', { name: 'Show 1 new click' });
      await held.waitFor();
      expect(await rows.first().getAttribute('data-hit')).toBe(newest);
      await page.keyboard.press('p');
      await rows.filter({ hasText: 'Japan' }).waitFor();
      await page.mouse.wheel(0, 900);
      await page.waitForFunction(() => scrollY > 400);
      const before = await rows.nth(20).boundingBox();
      await visit({ country: 'FR' });
      await held.waitFor();
      expect(await rows.nth(20).boundingBox()).toEqual(before);
      await held.click();
      await rows.filter({ hasText: 'France' }).waitFor();
    },
    patience,
  );

  test(
    'of before is there page by page, and all of them as a file',
    async () => {
      const { owner, link, visit } = await place();
      for (let visits = 0; visits < 103; visits++) await visit();
      await app.app.clicks.settled();
      const page = await dashboardOf(app, owner, `/app/links/${link.id}/visits`);
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
    },
    patience,
  );

  test(
    'is not missed when the stream breaks: the page says so, and catches up by itself',
    async () => {
      const { owner, link, visit } = await place();
      const page = await dashboardOf(app, owner, `/app/links/${link.id}`);
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
      // More than a page of them, and none of those in between may be passed over.
      await page.getByText('No clicks yet').waitFor();
      for (let visits = 0; visits < 60; visits++) await visit();
      await visit({ country: 'FR' });
      await app.app.clicks.settled();
      isRefused = false;
      const rows = page.locator('[data-hit]');
      await rows.filter({ hasText: 'France' }).waitFor();
      await isLive(page);
      await page.getByRole('button', { name: 'Show older clicks' }).click();
      await rows.nth(60).waitFor();
      const ids = await rows.evaluateAll((all) => all.map((row) => Number(row.getAttribute('data-hit'))));
      const { json } = await app.call('GET', `/api/v1/link/${link.id}/clicks?limit=100`, { key: owner.key });
      expect(ids).toEqual(json.clicks.map(({ id }: { id: number }) => id));
    },
    patience,
  );
});

test.each([
  ['its stream hears of it', async () => {}],
  ['something else hears of it first', (page: Page) => page.evaluate("dispatchEvent(new Event('focus'))")],
] as const)(
  'a session that ends ends the live view, which goes on where it was after signing in again: %s',
  async (_, hear) => {
    const { owner, link, visit } = await place();
    await visit({ country: 'FR' });
    const page = await dashboardOf(app, owner, `/app/links/${link.id}/visits`);
    await isLive(page);
    const headers = { origin: app.url };
    await page.context().request.delete(`${app.url}/api/v1/session`, { headers });
    await hear(page);
    await page.getByText('Your session has ended. What comes in meanwhile').waitFor();
    const door = page.getByRole('dialog', { name: 'Your session has ended' });
    await door.getByLabel('Password').fill(owner.password);
    await visit({ country: 'JP' });
    await door.getByRole('button', { name: 'Sign in' }).click();
    await isLive(page);
    await page.locator('[data-hit]', { hasText: 'Japan' }).waitFor();
    expect(await page.locator('[data-hit]').count()).toBe(2);
    await page.getByRole('alert').waitFor({ state: 'detached' });
  },
  patience,
);

describe('the board', () => {
  let busy: Place;
  beforeAll(async () => {
    // Who visits is told apart in the order of days: the past can't be added where there were visits today.
    app = unvisited;
    busy = await busyPlace();
  });

  test(
    'says, draws and lists the numbers of the interface',
    async () => {
      const page = await boardOf(busy);
      await title(page).waitFor();
      const from = dayBefore(29);
      const { totals, series } = await busy.stats(`from=${from}`);
      expect(totals.clicks).toBe(24);
      expect(await title(page).innerText()).toBe('24 clicks in 30 days');
      expect(await page.locator('.board-head').innerText()).toContain(
        `24 unique visitors, each counted once a day. Times are those of ${noonZone}.`,
      );
      // The table stands behind the chart for who can't see it, and in its place for who asks.
      const cells = () =>
        page
          .locator('.series tbody tr')
          .evaluateAll((rows) =>
            rows.map((row) =>
              [...row.querySelectorAll('td')].slice(0, 2).map((cell) => Number(cell.textContent)),
            ),
          );
      const expected = series.map(({ clicks, visitors: who }) => [clicks, who ?? 0]).toReversed();
      await page.locator('.series tbody tr').first().waitFor({ state: 'attached' });
      expect(await cells()).toEqual(expected);
      await page.keyboard.press('t');
      await page.getByRole('region', { name: 'Clicks over time as a table' }).waitFor();
      expect(page.url()).toContain('table=1');
      expect(await cells()).toEqual(expected);
      await page.getByLabel('Show as table').click();
      // The line is there, in the accent's colour, and says what is under the pointer.
      const chart = page.locator('.chart canvas');
      await chart.waitFor();
      await isDrawnIn(page, [179, 32, 58]);
      const box = await page.locator('.chart .u-over').boundingBox();
      if (!box) throw new Error('the chart has no place');
      await page.mouse.move(box.x + box.width - 2, box.y + 40);
      const last = series.at(-1);
      await page.locator('.chart-tip', { hasText: 'so far' }).waitFor();
      expect(await page.locator('.chart-tip').innerText()).toContain(`${last?.clicks} click`);
      const countries = await busy.stats(`from=${from}&group_by=country`);
      expect(countries.groups.map(({ value, clicks }) => [value, clicks])).toEqual([
        ['DE', 12],
        ['FR', 6],
        ['SG', 6],
      ]);
      expect(await card(page, 'Countries').locator('.bar').allInnerTexts()).toEqual([
        'Germany\n50\u00a0%\n12',
        'France\n25\u00a0%\n6',
        'Singapore\n25\u00a0%\n6',
      ]);
      // It follows the theme, and the width of the window.
      await page.emulateMedia({ colorScheme: 'dark' });
      await isDrawnIn(page, [240, 113, 138]);
      await page.setViewportSize({ width: 390, height: 800 });
      await page.waitForFunction(() => (document.querySelector('.chart canvas')?.clientWidth ?? 999) < 390);
      await isDrawnIn(page, [240, 113, 138]);
      // On the map too, Singapore as a dot.
      await card(page, 'Countries').locator('svg path[data-code="DE"]').waitFor();
      await card(page, 'Countries').locator('svg circle[data-code="SG"]').waitFor();
    },
    patience,
  );

  test(
    'is narrowed by a bar, by keyboard too: the rest and the address follow, and a chip takes it back',
    async () => {
      const page = await boardOf(busy);
      await bar(page, 'Countries', /^France/).focus();
      await page.keyboard.press('Enter');
      await title(page).filter({ hasText: '6 clicks' }).waitFor();
      expect(new URL(page.url()).searchParams.get('country')).toBe('FR');
      await page.getByText('Unique visitors are known for all clicks together only').waitFor();
      await page.getByText('counted from raw hits, which are kept for a limited time').waitFor();
      await bar(page, 'Devices', /^Phone 33 % 2$/).click();
      await title(page)
        .filter({ hasText: /^2 clicks in 30 days$/ })
        .waitFor();
      expect(new URL(page.url()).searchParams.get('device')).toBe('mobile');
      // The card that was pressed still shows what else could be chosen.
      await bar(page, 'Devices', /^Desktop or laptop 67 % 4$/).waitFor();
      expect(await bar(page, 'Devices', /^Phone/).getAttribute('aria-pressed')).toBe('true');
      // What was looked at is there again after a reload.
      await page.reload();
      await title(page)
        .filter({ hasText: /^2 clicks in 30 days$/ })
        .waitFor();
      await page.getByRole('button', { name: /Country France/ }).click();
      await title(page).filter({ hasText: '8 clicks' }).waitFor();
      expect(page.url()).not.toContain('country');
      await bar(page, 'Devices', /^Phone/).click();
      await title(page).filter({ hasText: '24 clicks' }).waitFor();
      // The ones that have none are a value as well.
      await bar(page, 'Campaigns', /^No source tagged/).click();
      await title(page).filter({ hasText: '16 clicks' }).waitFor();
      expect(new URL(page.url()).searchParams.get('utm_source')).toBe('');
      await page.getByRole('button', { name: /UTM source No source tagged/ }).waitFor();
    },
    patience,
  );

  test(
    'says what was not counted, and why; a reason shows those hits',
    async () => {
      const page = await boardOf(busy);
      const aside = card(page, 'Not counted as clicks');
      await aside.getByText('4 hits were not people: 2 previews, 1 bot, 1 prefetch.').waitFor();
      await aside.getByRole('button', { name: 'Kinds' }).click();
      await bar(page, 'Not counted as clicks', /^Previews 50 % 2$/).waitFor();
      await aside.getByRole('button', { name: 'Reasons' }).click();
      await bar(page, 'Not counted as clicks', /^Fetched a preview for a chat/).click();
      await title(page)
        .filter({ hasText: /^2 hits in 30 days$/ })
        .waitFor();
      // With another filter, the kinds are told by their reasons.
      await page.goto(`${app.url}/app/links/${busy.link.id}/stats?country=DE`);
      await aside.getByText('4 hits were not people: 2 previews, 1 bot, 1 prefetch.').waitFor();
      await aside.getByRole('button', { name: 'Kinds' }).click();
      await bar(page, 'Not counted as clicks', /^Previews 50 % 2$/).waitFor();
    },
    patience,
  );

  test(
    'looks at the span of time that the address says, and says it back',
    async () => {
      const page = await boardOf(busy);
      await page.getByRole('button', { name: '7 days' }).click();
      await title(page).filter({ hasText: '7 clicks in 7 days, as many as in the 7 before' }).waitFor();
      expect(page.url()).toEndWith('?range=7d');
      await page.getByRole('button', { name: '24 hours' }).click();
      await page.getByText('visitors are counted by the day, not by the hour').waitFor();
      await page.getByRole('button', { name: 'Custom' }).click();
      await page.getByLabel('From', { exact: true }).fill(dayBefore(3));
      await page.getByLabel('To', { exact: true }).fill(dayBefore(5));
      await page.getByRole('button', { name: 'Show these days' }).click();
      await page.getByText('The first day is after the last. Turn them round.').waitFor();
      await page.getByLabel('From', { exact: true }).fill(dayBefore(5));
      await page.getByLabel('To', { exact: true }).fill(dayBefore(3));
      await page.getByRole('button', { name: 'Show these days' }).click();
      await title(page)
        .filter({ hasText: /^3 clicks from .* as many as in the 3 days before$/ })
        .waitFor();
      expect(page.url()).toEndWith(`?range=${dayBefore(5)}..${dayBefore(3)}`);
    },
    patience,
  );

  test(
    'goes into files, in which no formula starts',
    async () => {
      await busy.visit({ query: '?utm_source=%3Dcmd%7Ccalc' });
      await app.app.clicks.settled();
      const page = await boardOf(busy, '?range=7d');
      await title(page).waitFor();
      const saved = async (name: string) => {
        await page.getByRole('button', { name: 'Export as CSV' }).click();
        const [file] = await Promise.all([
          page.waitForEvent('download'),
          page.locator('.menu-list').getByText(name, { exact: true }).click(),
        ]);
        return (await readFile(await file.path(), 'utf8')).trim().split('\r\n');
      };
      const series = await saved('Clicks over time');
      expect(series[0]).toBe('start,clicks,visitors,not_counted');
      expect(series).toHaveLength(8);
      expect(await saved('UTM sources')).toContain("'=cmd|calc,'=cmd|calc,1");
      const hits = await saved('Every hit');
      expect(hits[0]).toStartWith('id,link_id,clicked_at');
      expect(hits).toHaveLength(1 + 8 + 4);
    },
    patience,
  );

  test(
    'keeps the numbers of before while it asks, and says what went wrong when no answer comes',
    async () => {
      const page = await boardOf(busy);
      await title(page).filter({ hasText: 'clicks in 30 days' }).waitFor();
      const answers = Promise.withResolvers<void>();
      await page.route('**/stats?*', async (route) => {
        await answers.promise;
        await route.abort();
      });
      const place = () => page.locator('.breakdowns').boundingBox();
      await quiet(page);
      const before = await place();
      await page.getByRole('button', { name: '7 days' }).click();
      await page.locator('.board-numbers[aria-busy="true"]').waitFor();
      expect(await title(page).innerText()).toContain('clicks in 30 days');
      expect(await place()).toEqual(before);
      answers.resolve();
      await page.getByRole('alert').getByText("Linnet can't be reached").waitFor();
      expect(await title(page).count()).toBe(0);
      await page.unroute('**/stats?*');
      await page.getByRole('button', { name: 'Try again' }).click();
      await title(page).filter({ hasText: 'clicks in 7 days' }).waitFor();
      await page.getByRole('alert').waitFor({ state: 'detached' });
    },
    patience,
  );

  test(
    'has all the values in a dialog, where a value filters too',
    async () => {
      const many = await place();
      for (let tag = 0; tag < 12; tag++)
        for (let times = 0; times <= tag; times++) await many.visit({ query: `?utm_source=tag${tag}` });
      await app.app.clicks.settled();
      const page = await boardOf(many);
      await page.getByRole('button', { name: 'Show all 12 UTM sources' }).click();
      const dialog = page.getByRole('dialog', { name: 'UTM sources' });
      await dialog.locator('.bar').nth(11).waitFor();
      expect(await barriersOn(page)).toEqual([]);
      await dialog.getByRole('button', { name: /^tag2 / }).click();
      await title(page).filter({ hasText: '3 clicks' }).waitFor();
      // A chosen value is shown among the few, however small it is.
      expect(await bar(page, 'Campaigns', /^tag2 /).getAttribute('aria-pressed')).toBe('true');
    },
    patience,
  );
});

test(
  'numbers and visits have no barriers: light, dark and on a phone, with data (without, each page is looked at with the others)',
  async () => {
    const { owner, link } = await busyPlace();
    const page = await dashboardOf(app, owner, '/app/stats');
    for (const path of [
      '/app/stats?table=1',
      '/app/stats?country=DE&device=mobile&range=2026-11-01..2026-11-09',
      '/app/stats?view=live',
      `/app/links/${link.id}/stats`,
      `/app/links/${link.id}/visits?show=all`,
    ]) {
      await page.goto(app.url + path);
      await page
        .locator(path.includes('visits') || path.includes('live') ? '.feed-end' : '.board-title')
        .waitFor();
      await quiet(page);
      for (const [width, colorScheme] of [
        [1280, 'light'],
        [1280, 'dark'],
        [390, 'light'],
      ] as const) {
        await page.setViewportSize({ width, height: 800 });
        await page.emulateMedia({ colorScheme });
        expect([path, width, colorScheme, await barriersOn(page)]).toEqual([path, width, colorScheme, []]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      }
    }
    await page.context().close();
  },
  2 * patience,
);

test(
  'what visitors send is shown as text and runs nowhere',
  async () => {
    const { owner, link, visit } = await place();
    const payload = '<img src=x onerror="window.ran=1"><script>window.ran=1</script>';
    const tags = new URLSearchParams({
      utm_source: payload,
      utm_medium: `"><svg onload=window.ran=1>`,
      utm_campaign: 'javascript:window.ran=1',
    });
    await visit({
      query: `?${tags}`,
      agent: `Mozilla/5.0 (X11; Linux) AppleWebKit/537.36 Chrome/140.0 ${payload}`,
      headers: { referer: `https://example.org/${payload}`, 'accept-language': payload },
    });
    await visit({ headers: { referer: `https://${encodeURIComponent(payload)}.example/` } });
    await app.app.clicks.settled();
    const page = await dashboardOf(app, owner, `/app/links/${link.id}/stats`);
    await bar(page, 'Campaigns', /<img src=x/).click();
    await title(page).filter({ hasText: '1 click' }).waitFor();
    await page.getByRole('button', { name: /UTM source <img src=x/ }).waitFor();
    await page.goto(`${app.url}/app/links/${link.id}/visits`);
    await page.getByText('<img src=x onerror=').waitFor();
    // An address made by somebody else is no way in either.
    const hostile = new URLSearchParams({ country: payload, device: 'constructor', language: '__proto__' });
    await page.goto(`${app.url}/app/stats?${hostile}&range=${encodeURIComponent(payload)}`);
    await page.getByRole('button', { name: /Device constructor/ }).waitFor();
    await page.getByText('Nothing fits these filters').waitFor();
    expect(await page.evaluate(() => 'ran' in globalThis)).toBe(false);
  },
  patience,
);
