import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { browserUserAgent, storeKinds } from './support/app.ts';
import { appWithOwner } from './support/app-suite.ts';
import { twoNetworkFile } from './support/country-file.ts';
import { temporaryFolder } from './support/program.ts';
import { targetOfEachTest } from './support/webhook-target.ts';

const cityOf = (country: string, region: string) => ({
  country: { iso_code: country },
  subdivisions: [{ iso_code: region }],
  city: { names: { en: 'Munich' } },
});

const target = targetOfEachTest();

interface Group {
  readonly value: string | null;
  readonly clicks: number;
}

describe.each(storeKinds)('statistics by place and address on %s', (store) => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let id: number;
  let host: string;

  const { app, owner } = appWithOwner(async () => {
    folder = await temporaryFolder();
    const COUNTRY_FILE = join(folder.path, 'cities.mmdb');
    await writeFile(COUNTRY_FILE, twoNetworkFile(cityOf('DE', 'BY'), cityOf('US', 'ND')));
    return { store, env: { COUNTRY_FILE, TRUSTED_PROXIES: '1', WEBHOOK_ALLOW: '127.0.0.1' } };
  });
  beforeAll(async () => {
    host = new URL(app.url).hostname;
    const call = async (method: string, path: string, body: object) => {
      const { status, json } = await app.call(method, `/api/v1/link${path}`, { key: owner.key, body });
      expect(status).toBeLessThan(300);
      return json;
    };
    const rules = [{ id: 'r_vip', when: { query: { vip: [] } }, destination_url: 'https://example.com/vip' }];
    const made = await call('POST', '', {
      suffix: `before-${store}`,
      destination_url: 'https://example.com',
      forward_path: true,
      rules,
    });
    id = made.id;
    await call('PATCH', `/${id}`, { suffix: `own-${store}`, add_aliases: [`ältere-${store}`] });
    const visit = (path: string, address: string, headers: Record<string, string> = {}) =>
      app.visit(path, { 'user-agent': browserUserAgent, 'x-forwarded-for': address, ...headers });
    for (let visitor = 1; visitor <= 12; visitor++) await visit(`/own-${store}`, `9.9.9.${visitor}`);
    for (let visitor = 1; visitor <= 5; visitor++) await visit(`/before-${store}`, `193.99.144.${visitor}`);
    // Also through the app server, with a path after the suffix, and by a rule.
    await visit(`/before-${store}`, '9.9.8.1', { 'x-detour': '\xe9' });
    await visit(`/before-${store}/behind`, '9.9.8.2');
    await visit(`/before-${store}?vip`, '9.9.8.3', { 'cf-ipcountry': 'DE' });
    await visit(`/${encodeURIComponent(`ältere-${store}`)}`, '9.9.8.4', { 'cf-ipcountry': 'FR' });
    await visit(`/own-${store}`, '::1');
    await app.app.clicks.settled();
  });
  afterAll(() => folder[Symbol.asyncDispose]());

  const get = async (path: string) => (await app.call('GET', `/api/v1${path}`, { key: owner.key })).json;
  const groupsBy = async (path: string, by: string, more = '') =>
    ((await get(`${path}?group_by=${by}${more}`)).groups as Group[]).map(({ value, clicks }) => [
      value,
      clicks,
    ]);

  test('clicks are grouped by region, by city and by address, for one link and for all', async () => {
    for (const path of ['/stats', `/link/${id}/stats`]) {
      expect(await groupsBy(path, 'region')).toEqual([
        ['DE-BY', 15],
        ['US-ND', 5],
        [null, 2],
      ]);
      // Two cities of the same name are separate groups; if a proxy reports another country, the city is unknown.
      expect(await groupsBy(path, 'city')).toEqual([
        ['DE-BY/Munich', 15],
        ['US-ND/Munich', 5],
        [null, 2],
      ]);
      expect(await groupsBy(path, 'address')).toEqual([
        [null, 13],
        [`${host}/before-${store}`, 8],
        [`${host}/ältere-${store}`, 1],
      ]);
    }
  });

  test('filters by region, city and address work alone and combined', async () => {
    const alias = `${host}/before-${store}`;
    const shownAddress = `${new URL(app.url).origin}/${encodeURIComponent(`ältere-${store}`)}`;
    const cases: readonly (readonly [string, number])[] = [
      ['region=US-ND', 5],
      ['region=us-nd', 5],
      ['region=', 2],
      ['city=US-ND/Munich', 5],
      ['region=de-by&city=Munich', 15],
      ['city=Munich', 0],
      ['city=', 2],
      [`address=${alias}`, 8],
      [`address=${encodeURIComponent(shownAddress)}`, 1],
      ['address=', 13],
      ['address=elsewhere.example/x', 0],
      [`address=${alias}&city=DE-BY/Munich`, 3],
      [`address=${alias}&rule=r_vip&region=DE-BY`, 1],
    ];
    for (const path of ['/stats', `/link/${id}/stats`])
      for (const [query, clicks] of cases)
        expect([path, query, (await get(`${path}?${query}`)).totals.clicks]).toEqual([path, query, clicks]);
    expect(await groupsBy('/stats', 'address', '&region=US-ND')).toEqual([[alias, 5]]);
  });

  test('lists and exports of clicks contain the region, the city and the address', async () => {
    const { clicks } = await get(`/link/${id}/clicks?limit=100`);
    const placeOf = (click: Record<string, unknown>) => [click.region, click.city, click.address].join(' ');
    const counts = new Map<string, number>();
    for (const click of clicks) counts.set(placeOf(click), (counts.get(placeOf(click)) ?? 0) + 1);
    expect(Object.fromEntries(counts)).toEqual({
      'DE-BY Munich ': 12,
      [`US-ND Munich ${host}/before-${store}`]: 5,
      [`DE-BY Munich ${host}/before-${store}`]: 3,
      [`  ${host}/ältere-${store}`]: 1,
      '  ': 1,
    });
    const { text } = await app.call('GET', '/api/v1/clicks.csv', { key: owner.key });
    const [header, ...rows] = text.trim().split('\r\n');
    expect(header).toEndWith(',region,city,address');
    expect(rows.filter((row) => row.endsWith(`,US-ND,Munich,${host}/before-${store}`))).toHaveLength(5);
  });

  test('a click behind a password has its alias too, and its webhook includes the alias and the place', async () => {
    const hook = target();
    const account = await app.createAccount();
    const body = {
      destination_url: 'https://example.com',
      password: 'sesame',
      webhook_url: hook.url,
      suffix: `gated-${store}`,
      aliases: [`gate-${store}`],
    };
    expect((await app.call('POST', '/api/v1/link', { key: account.key, body })).status).toBe(201);
    const form = {
      'content-type': 'application/x-www-form-urlencoded',
      origin: new URL(app.url).origin,
      'x-forwarded-for': '193.99.144.99',
    };
    const opened = await app.visit(`/gate-${store}`, form, { method: 'POST', body: 'password=sesame' });
    expect(opened.status).toBe(302);
    const [received] = await hook.calls(1);
    expect(JSON.parse(received?.body ?? '').payload).toMatchObject({
      suffix: `gated-${store}`,
      address: `${host}/gate-${store}`,
      country: 'US',
      region: 'US-ND',
      city: 'Munich',
    });
    const { json } = await app.call('GET', '/api/v1/stats?group_by=address', { key: account.key });
    expect(json.groups).toEqual([{ value: `${host}/gate-${store}`, clicks: 1, not_counted: 0 }]);
  });

  test('no other organization sees these groups', async () => {
    const other = await app.createAccount();
    const { json } = await app.call('GET', '/api/v1/stats?group_by=city', { key: other.key });
    expect(json.groups).toEqual([]);
  });
});
