import { expect, test } from 'bun:test';
import { appWithOwner } from './support/app-suite.ts';
import { eventually } from './support/eventually.ts';

const { app, owner } = appWithOwner({ env: { TRUSTED_PROXIES: '1' } });

const chrome =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36';
const https = { 'x-forwarded-proto': 'https' };
const navigation = { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
const image = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' };

interface Visit {
  readonly name: string;
  readonly headers: Record<string, string>;
  readonly expected: readonly [hitClass: string, reason: string];
  /** The status if the link is protected from bots. */
  readonly status: number;
}

const visits: readonly Visit[] = [
  { name: 'a navigation', headers: { ...https, ...navigation }, expected: ['human', 'browser'], status: 302 },
  {
    name: 'http, where browsers send no such headers',
    headers: {},
    expected: ['human', 'browser'],
    status: 302,
  },
  { name: 'an image', headers: { ...https, ...image }, expected: ['bot', 'not_navigation'], status: 403 },
  {
    name: 'a fetch',
    headers: { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
    expected: ['bot', 'not_navigation'],
    status: 403,
  },
  {
    name: 'a Chrome without these headers',
    headers: https,
    expected: ['bot', 'no_browser_headers'],
    status: 302,
  },
  {
    name: 'a Chrome with a client hint',
    headers: { ...https, 'sec-ch-ua-platform': '"Windows"' },
    expected: ['human', 'browser'],
    status: 302,
  },
];

test.each([
  ['a link without protection', false],
  ['a protected link', true],
] as const)('the ledger and the bot protection classify headers alike: %s', async (_, isProtected) => {
  const body = { destination_url: 'https://example.com/', bot_protection: isProtected };
  const created = await app.call('POST', '/api/v1/link?disable_png=true', { key: owner.key, body });
  const { pathname } = new URL(created.json.url);
  const statuses: number[] = [];
  for (const [index, { headers }] of visits.entries()) {
    const requestHeaders = { 'user-agent': chrome, 'x-forwarded-for': `198.51.100.${index}`, ...headers };
    statuses.push((await app.visit(`${pathname}?utm_content=v${index}`, requestHeaders)).status);
  }
  expect(statuses).toEqual(visits.map(({ status }) => (isProtected ? status : 302)));
  const path = `/api/v1/link/${created.json.id}/clicks?class=all&limit=100`;
  const list = async () =>
    (await app.call('GET', path, { key: owner.key })).json.clicks as {
      class: string;
      reason: string;
      utm_content: string;
    }[];
  await eventually(async () => (await list()).length === visits.length, 'all hits');
  const found = new Map((await list()).map((hit) => [hit.utm_content, [hit.class, hit.reason]]));
  expect(visits.map(({ name }, index) => [name, found.get(`v${index}`)])).toEqual(
    visits.map(({ name, expected }) => [name, [...expected]]),
  );
});

test('a prefetched page is a click once its visitor opens it, even immediately', async () => {
  const body = { destination_url: 'https://example.com/' };
  const created = await app.call('POST', '/api/v1/link?disable_png=true', { key: owner.key, body });
  const { pathname } = new URL(created.json.url);
  const requestHeaders = {
    'user-agent': chrome,
    'x-forwarded-for': '198.51.100.99',
    ...https,
    ...navigation,
  };
  for (const purpose of ['prefetch;prerender', 'prefetch'])
    expect((await app.visit(pathname, { ...requestHeaders, 'sec-purpose': purpose })).status).toBe(302);
  await app.visit(pathname, requestHeaders);
  const path = `/api/v1/link/${created.json.id}/clicks?class=all`;
  const classes = async () =>
    (await app.call('GET', path, { key: owner.key })).json.clicks.map((hit: { class: string }) => hit.class);
  await eventually(async () => (await classes()).length === 3, 'all hits');
  expect((await classes()).sort()).toEqual(['human', 'prefetch', 'prefetch']);
});
