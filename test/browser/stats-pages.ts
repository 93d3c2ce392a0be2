import { expect } from 'bun:test';
import type { Locator, Page } from 'playwright-core';
import { dayLength } from '../../src/rules/durations.ts';
import { browserUserAgent as laptopUserAgent, type TestAccount, type TestApp } from '../support/app.ts';
import { appOfSuite } from '../support/browser-suite.ts';
import { dashboardsInOnePage } from './one-page.ts';

export const phoneUserAgent =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1';
/**
 * The offset of a time zone without daylight saving time where it is about noon: its days have 24 hours, and none ends
 * while the tests run. Its day contains most of the current UTC day, by which visitors are counted.
 */
export const offset = Math.max(-11, new Date().getUTCHours() - 12);
export const noonZone = offset === 0 ? 'UTC' : `Etc/GMT${offset > 0 ? '+' : ''}${offset}`;

/** With one trusted proxy, so that the headers of a visit set its address and country. */
export const startStatsApp = () =>
  appOfSuite({ env: { TRUSTED_PROXIES: '1' }, overrides: { heartbeat: 500 } });
export interface Fixture {
  readonly owner: TestAccount;
  readonly link: { readonly id: number; readonly url: string };
  /** A visit by a new visitor. */
  visit(options?: {
    readonly country?: string;
    readonly userAgent?: string;
    readonly query?: string;
    readonly method?: string;
    readonly headers?: Record<string, string>;
  }): Promise<void>;
  stats(query?: string): Promise<StatsResponse>;
}

interface StatsResponse {
  readonly totals: { readonly clicks: number; readonly visitors: number | null };
  readonly series: readonly { readonly clicks: number; readonly visitors: number | null }[];
  readonly groups: readonly { readonly value: string | null; readonly clicks: number }[];
}

/** Owners with a link of their own, and functions to visit it and to open its pages. */
export function statsOf(app: TestApp) {
  const dashboard = dashboardsInOnePage(app, { timezoneId: noonZone });
  let visitors = 0;
  async function newFixture(fields: object = {}, account?: TestAccount): Promise<Fixture> {
    const owner = account ?? (await app.createAccount());
    const created = await app.call('POST', '/api/v1/link', {
      key: owner.key,
      body: { destination_url: 'https://example.com', ...fields },
    });
    expect(created.status).toBe(201);
    const { pathname } = new URL(created.json.url);
    return {
      owner,
      link: created.json,
      async visit({
        country = 'DE',
        userAgent = laptopUserAgent,
        query = '',
        method = 'GET',
        headers = {},
      } = {}) {
        visitors += 1;
        const address = `203.0.${visitors >> 8}.${visitors & 255}`;
        await app.visit(
          pathname + query,
          { 'user-agent': userAgent, 'x-forwarded-for': address, 'cf-ipcountry': country, ...headers },
          { method },
        );
      },
      async stats(query = '') {
        const { json } = await app.call(
          'GET',
          `/api/v1/link/${created.json.id}/stats?timezone=${encodeURIComponent(noonZone)}&${query}`,
          { key: owner.key },
        );
        return json;
      },
    };
  }

  /** A month of visits of all kinds, up to now. */
  async function busyFixture(): Promise<Fixture> {
    const now = app.clock.now;
    // Before the clock is set back: the first clean-up could delete the tokens with which the account's key is created.
    const owner = await app.createAccount();
    app.clock.now = now - 60 * dayLength;
    const fixture = await newFixture({}, owner);
    const queries = ['?utm_source=newsletter&utm_medium=email&utm_campaign=spring', '?qr', ''];
    for (let visit = 0; visit < 24; visit++) {
      app.clock.now = now - (23 - visit) * dayLength;
      await fixture.visit({
        country: ['DE', 'DE', 'FR', 'SG'][visit % 4] ?? 'DE',
        userAgent: visit % 3 === 0 ? phoneUserAgent : laptopUserAgent,
        query: queries[visit % 3] ?? '',
        headers: { 'accept-language': visit % 2 ? 'fr' : 'de', referer: 'https://news.example.org/page' },
      });
      // Visitors are only recognised on the day of the visit, so count it before the clock moves on.
      await app.app.clicks.settled();
    }
    await fixture.visit({ userAgent: 'WhatsApp/2.23.20.0' });
    await fixture.visit({ userAgent: 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)' });
    await fixture.visit({ userAgent: 'curl/8.5.0' });
    await fixture.visit({ headers: { 'sec-purpose': 'prefetch' } });
    await app.app.clicks.settled();
    return fixture;
  }

  const dayBefore = (days: number): string =>
    new Intl.DateTimeFormat('en-CA', { timeZone: noonZone }).format(app.clock.now - days * dayLength);

  const openBoard = (fixture: Fixture, query = ''): Promise<Page> =>
    dashboard(fixture.owner, `/app/links/${fixture.link.id}/stats${query}`);

  return { newFixture, busyFixture, dayBefore, dashboard, openBoard };
}

export const title = (page: Page): Locator => page.locator('.board-title');
export const card = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true });
export const bar = (page: Page, name: string, value: RegExp): Locator =>
  card(page, name).locator('.bars').getByRole('button', { name: value });
export const waitUntilLive = (page: Page): Promise<void> => page.getByText('Live: new hits appear').waitFor();
export const waitUntilLoaded = async (page: Page): Promise<void> => {
  await page.waitForFunction(() => !document.querySelector('[aria-busy="true"]'));
};

/** Waits until the chart has a line of this colour. */
export const waitForChartColour = async (
  page: Page,
  colour: readonly [number, number, number],
): Promise<void> => {
  await page.waitForFunction(([red, green, blue]) => {
    const canvas = document.querySelector<HTMLCanvasElement>('.chart canvas');
    const pixels = canvas?.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
    let count = 0;
    for (let at = 0; at < pixels.length; at += 4)
      if (pixels[at] === red && pixels[at + 1] === green && pixels[at + 2] === blue) count += 1;
    return count > 200;
  }, colour);
};
