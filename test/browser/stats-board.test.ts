import { beforeAll, describe, expect, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { dayLength } from '../../src/rules/durations.ts';
import { accessibilityViolations } from '../support/browser.ts';
import { followLink } from './follow-link.ts';
import {
  bar,
  card,
  type Fixture,
  noonZone,
  startStatsApp,
  statsOf,
  title,
  waitForChartColour,
  waitUntilLoaded,
} from './stats-pages.ts';

const app = await startStatsApp();
const { newFixture, busyFixture, dayBefore, dashboard, openBoard } = statsOf(app);

describe('the statistics board', () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await busyFixture();
  });

  test('with forced colours, the area below the line does not cover the grid and the line of visitors', async () => {
    const page = await dashboard(fixture.owner, '/app/nowhere');
    await page.emulateMedia({ forcedColors: 'active' });
    await followLink(page, `/app/links/${fixture.link.id}/stats`);
    await title(page).waitFor();
    await page.locator('.chart canvas').waitFor();
    const paintedShare = await page.waitForFunction(() => {
      const canvas = document.querySelector<HTMLCanvasElement>('.chart canvas');
      const pixels = canvas?.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
      let painted = 0;
      for (let at = 3; at < pixels.length; at += 4) if (pixels[at] !== 0) painted += 1;
      return painted / (pixels.length / 4) || null;
    });
    expect(await paintedShare.jsonValue()).toBeLessThan(0.1);
  });

  test('shows, draws and lists the numbers of the API', async () => {
    const page = await openBoard(fixture);
    await title(page).waitFor();
    const from = dayBefore(29);
    const { totals, series } = await fixture.stats(`from=${from}`);
    expect(totals.clicks).toBe(24);
    expect(await title(page).innerText()).toBe('24 clicks in 30 days');
    expect(await page.locator('.board-head').innerText()).toContain(
      `24 daily visitors: each counts once a day (UTC), in the hour of the first click. Times are those of ${noonZone}.`,
    );
    // Screen readers always get the table; the switch makes it replace the visible chart.
    const cells = () =>
      page
        .locator('.series tbody tr')
        .evaluateAll((rows) =>
          rows.map((row) =>
            [...row.querySelectorAll('td')].slice(0, 2).map((cell) => Number(cell.textContent)),
          ),
        );
    const expected = series.map(({ clicks, visitors }) => [clicks, visitors ?? 0]).toReversed();
    await page.locator('.series tbody tr').first().waitFor({ state: 'attached' });
    expect(await cells()).toEqual(expected);
    await page.keyboard.press('t');
    await page.getByRole('region', { name: 'Clicks over time as a table' }).waitFor();
    expect(page.url()).toContain('table=1');
    expect(await cells()).toEqual(expected);
    await page.getByLabel('Show as table').click();
    // The line has the accent colour, and hovering shows a tooltip.
    const chart = page.locator('.chart canvas');
    await chart.waitFor();
    await waitForChartColour(page, [179, 32, 58]);
    const box = await page.locator('.chart .u-over').boundingBox();
    if (!box) throw new Error('the chart is not rendered');
    await page.mouse.move(box.x + box.width - 2, box.y + 40);
    const last = series.at(-1);
    await page.locator('.chart-tip', { hasText: 'so far' }).waitFor();
    expect(await page.locator('.chart-tip').innerText()).toContain(`${last?.clicks} click`);
    expect(await page.locator('.chart-tip').innerText()).toContain('1 daily visitor');
    const countries = await fixture.stats(`from=${from}&group_by=country`);
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
    // The chart follows the theme and the width of the window.
    await page.emulateMedia({ colorScheme: 'dark' });
    await waitForChartColour(page, [240, 113, 138]);
    await page.setViewportSize({ width: 390, height: 800 });
    await page.waitForFunction(() => (document.querySelector('.chart canvas')?.clientWidth ?? 999) < 390);
    await waitForChartColour(page, [240, 113, 138]);
    // The map shows them, too; Singapore as a dot.
    await card(page, 'Countries').locator('svg path[data-code="DE"]').waitFor();
    await card(page, 'Countries').locator('svg circle[data-code="SG"]').waitFor();
  });

  test('is filtered by a bar, by keyboard too: the other cards and the URL follow, and a chip removes the filter', async () => {
    const page = await openBoard(fixture);
    await bar(page, 'Countries', /^France/).focus();
    await page.keyboard.press('Enter');
    await title(page).filter({ hasText: '6 clicks' }).waitFor();
    expect(new URL(page.url()).searchParams.get('country')).toBe('FR');
    await page.getByText('Visitors are only known for all clicks together').waitFor();
    // Every click of these days is still stored, so there is no note about that.
    expect(await page.getByText('counted from individual clicks').count()).toBe(0);
    await bar(page, 'Devices', /^Phone 33 % 2$/).click();
    await title(page)
      .filter({ hasText: /^2 clicks in 30 days$/ })
      .waitFor();
    expect(new URL(page.url()).searchParams.get('device')).toBe('mobile');
    // The card with the filter still shows the other values.
    await bar(page, 'Devices', /^Desktop or laptop 67 % 4$/).waitFor();
    expect(await bar(page, 'Devices', /^Phone/).getAttribute('aria-pressed')).toBe('true');
    // The address keeps the filter.
    await followLink(page, '/app/nowhere');
    await page.getByRole('heading', { name: 'Nothing here' }).waitFor();
    await page.goBack();
    await title(page)
      .filter({ hasText: /^2 clicks in 30 days$/ })
      .waitFor();
    await page.getByRole('button', { name: /Country France/ }).click();
    await title(page).filter({ hasText: '8 clicks' }).waitFor();
    expect(page.url()).not.toContain('country');
    await bar(page, 'Devices', /^Phone/).click();
    await title(page).filter({ hasText: '24 clicks' }).waitFor();
    // "No value" is a filter, too.
    await bar(page, 'Campaigns', /^No source tagged/).click();
    await title(page).filter({ hasText: '16 clicks' }).waitFor();
    expect(new URL(page.url()).searchParams.get('utm_source')).toBe('');
    await page.getByRole('button', { name: /UTM source No source tagged/ }).waitFor();
  });

  test('shows uncounted hits with reasons; a reason shows those hits', async () => {
    const page = await openBoard(fixture);
    const notCounted = card(page, 'Not counted as clicks');
    await notCounted.getByText('4 hits were not people: 2 previews, 1 bot, 1 prefetch.').waitFor();
    await notCounted.getByRole('button', { name: 'Kinds' }).click();
    await bar(page, 'Not counted as clicks', /^Previews 50 % 2$/).waitFor();
    await notCounted.getByRole('button', { name: 'Reasons' }).click();
    await bar(page, 'Not counted as clicks', /^Fetched a preview for a chat/).click();
    await title(page)
      .filter({ hasText: /^2 hits in 30 days$/ })
      .waitFor();
    // With another filter active, the kinds are derived from the reasons.
    await followLink(page, '/app/nowhere');
    await page.getByRole('heading', { name: 'Nothing here' }).waitFor();
    await followLink(page, `/app/links/${fixture.link.id}/stats?country=DE`);
    await notCounted.getByText('4 hits were not people: 2 previews, 1 bot, 1 prefetch.').waitFor();
    await notCounted.getByRole('button', { name: 'Kinds' }).click();
    await bar(page, 'Not counted as clicks', /^Previews 50 % 2$/).waitFor();
  });

  test('shows the time range of the URL, and updates it', async () => {
    const page = await openBoard(fixture);
    await page.getByRole('button', { name: '7 days' }).click();
    await title(page).filter({ hasText: '7 clicks in 7 days, as many as in the 7 before' }).waitFor();
    expect(page.url()).toEndWith('?range=7d');
    await page.getByRole('button', { name: '24 hours' }).click();
    await page.getByText('each counts once a day (UTC), in the hour of the first click').waitFor();
    await page.getByRole('button', { name: 'Custom' }).click();
    await page.getByLabel('From', { exact: true }).fill(dayBefore(3));
    await page.getByLabel('To', { exact: true }).fill(dayBefore(5));
    await page.getByRole('button', { name: 'Show these days' }).click();
    await page.getByText('The first day is after the last. Swap them.').waitFor();
    await page.getByLabel('From', { exact: true }).fill(dayBefore(5));
    await page.getByLabel('To', { exact: true }).fill(dayBefore(3));
    await page.getByRole('button', { name: 'Show these days' }).click();
    await title(page)
      .filter({ hasText: /^3 clicks from .* as many as in the 3 days before$/ })
      .waitFor();
    expect(page.url()).toEndWith(`?range=${dayBefore(5)}..${dayBefore(3)}`);
  });

  test('names no longer period if all clicks came while statistics were turned off', async () => {
    const quiet = await newFixture({ statistics: false });
    await quiet.visit();
    await app.app.clicks.settled();
    const body = { statistics: true };
    await app.call('PATCH', `/api/v1/link/${quiet.link.id}`, { key: quiet.owner.key, body });
    const page = await openBoard(quiet);
    await title(page).waitFor();
    await page.getByText('All clicks of this link came while its statistics were turned off.').waitFor();
    expect(await page.getByText('Choose a longer period').count()).toBe(0);
  });

  test('takes no day of a year that it could not show', async () => {
    const page = await openBoard(fixture);
    await page.getByRole('button', { name: 'Custom' }).click();
    const last = page.getByLabel('To', { exact: true });
    await last.fill('2926-01-01');
    await page.getByRole('button', { name: 'Show these days' }).click();
    await page.getByText('These days are too far apart. Check their years.').waitFor();
    // As if typed: the test's own filling refuses it.
    await last.evaluate((input: HTMLInputElement) => {
      input.value = '20266-12-31';
      input.dispatchEvent(new Event('input', { bubbles: true }));
    });
    await page.getByRole('button', { name: 'Show these days' }).click();
    expect(await last.evaluate((input: HTMLInputElement) => input.validity.rangeOverflow)).toBe(true);
    expect(page.url()).not.toContain('range=');
    const tooLong = await openBoard(fixture, '?range=2026-01-01..2206-12-31');
    const sentence = 'This range has more than 1,000 months. Take a shorter one.';
    await tooLong.getByText(sentence).first().waitFor();
  });

  test('is exported to CSV files without formulas', async () => {
    await fixture.visit({ query: '?utm_source=%3Dcmd%7Ccalc' });
    await app.app.clicks.settled();
    const page = await openBoard(fixture, '?range=7d');
    await title(page).waitFor();
    const exportedLines = async (name: string) => {
      await page.getByRole('button', { name: 'Export as CSV' }).click();
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.locator('.menu-list').getByText(name, { exact: true }).click(),
      ]);
      return (await readFile(await file.path(), 'utf8')).trim().split('\r\n');
    };
    const series = await exportedLines('Clicks over time');
    expect(series[0]).toBe('start,clicks,daily_visitors,not_counted');
    expect(series).toHaveLength(8);
    expect(await exportedLines('UTM sources')).toContain("'=cmd|calc,'=cmd|calc,1");
    const hits = await exportedLines('Every hit');
    expect(hits[0]).toStartWith('id,link_id,clicked_at');
    expect(hits).toHaveLength(1 + 8 + 4);
  });

  test('marks the days on which a counting rule changed, and explains it', async () => {
    const { database } = app.app.context;
    const key = 'counting_rules_changed_at';
    const changedAt = app.clock.now - 9 * dayLength;
    await database.write((queries) =>
      queries
        .insertInto('settings')
        .values({ key, value: String(changedAt) })
        .execute(),
    );
    try {
      const page = await openBoard(fixture);
      const marks = page.locator('.chart-mark');
      await marks.nth(1).waitFor();
      expect(await marks.count()).toBe(2);
      const plot = await page.locator('.chart .u-over').boundingBox();
      const mark = await marks.first().boundingBox();
      // Thirty days; the last is today.
      const expected = (plot?.x ?? 0) + ((plot?.width ?? 0) * 20) / 29;
      expect(Math.abs((mark?.x ?? 0) + (mark?.width ?? 0) / 2 - expected)).toBeLessThan(3);
      const sentences = await page.locator('.rule-changes li').allInnerTexts();
      expect(sentences).toEqual([
        expect.stringContaining('within two seconds'),
        expect.stringContaining('in the hour of their first click'),
      ]);
    } finally {
      await database.write((queries) => queries.deleteFrom('settings').where('key', '=', key).execute());
    }
  });

  test('keeps the previous numbers while loading, and reports errors', async () => {
    const page = await openBoard(fixture);
    await title(page).filter({ hasText: 'clicks in 30 days' }).waitFor();
    const released = Promise.withResolvers<void>();
    await page.route('**/stats?*', async (route) => {
      await released.promise;
      await route.abort();
    });
    const boxOfBreakdowns = () => page.locator('.breakdowns').boundingBox();
    await waitUntilLoaded(page);
    const before = await boxOfBreakdowns();
    await page.getByRole('button', { name: '7 days' }).click();
    await page.locator('.board-numbers[aria-busy="true"]').waitFor();
    expect(await title(page).innerText()).toContain('clicks in 30 days');
    expect(await boxOfBreakdowns()).toEqual(before);
    released.resolve();
    await page.getByRole('alert').getByText("Linnet can't be reached").waitFor();
    expect(await title(page).count()).toBe(0);
    await page.unroute('**/stats?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await title(page).filter({ hasText: 'clicks in 7 days' }).waitFor();
    await page.getByRole('alert').waitFor({ state: 'detached' });
  });

  test('has all values in a dialog, where a value filters too', async () => {
    const linkWithTags = await newFixture();
    for (let tag = 0; tag < 12; tag++)
      for (let times = 0; times < (tag === 2 ? 1 : 2); times++)
        await linkWithTags.visit({ query: `?utm_source=tag${tag}` });
    await app.app.clicks.settled();
    const page = await openBoard(linkWithTags);
    await page.getByRole('button', { name: 'Show all 12 UTM sources' }).click();
    const dialog = page.getByRole('dialog', { name: 'UTM sources' });
    await dialog.locator('.bar').nth(11).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: /^tag2 / }).click();
    await title(page).filter({ hasText: '1 click' }).waitFor();
    // A selected value is always shown, however small it is.
    expect(await bar(page, 'Campaigns', /^tag2 /).getAttribute('aria-pressed')).toBe('true');
  });

  test('passes the accessibility check with data, as do visits: light, and on a phone, dark (without data: accessibility.test.ts)', async () => {
    const page = await dashboard(fixture.owner, '/app/stats');
    for (const path of [
      `/app/stats?table=1&country=DE&device=mobile&range=${dayBefore(20)}..${dayBefore(1)}`,
      '/app/stats?view=live',
      `/app/links/${fixture.link.id}/stats`,
      `/app/links/${fixture.link.id}/visits?show=all`,
    ]) {
      // Starts from a page without numbers, because a board shows its previous ones while it loads.
      await followLink(page, '/app/nowhere');
      await page.getByRole('heading', { name: 'Nothing here' }).waitFor();
      await followLink(page, path);
      await page
        .locator(path.includes('visits') || path.includes('live') ? '.feed-end' : '.board-title')
        .waitFor();
      await waitUntilLoaded(page);
      for (const [width, colorScheme] of [
        [1280, 'light'],
        [390, 'dark'],
      ] as const) {
        await page.setViewportSize({ width, height: 800 });
        await page.emulateMedia({ colorScheme });
        const barriers = await accessibilityViolations(page);
        expect([path, width, colorScheme, barriers]).toEqual([path, width, colorScheme, []]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      }
    }
  });
});
