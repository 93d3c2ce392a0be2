import { beforeEach, describe, expect, test } from 'bun:test';
import { options } from '../config/options.ts';
import { type IncomingRequest, type Routes, router } from './router.ts';

const custom = 5;
let domains: (host: string) => number | null | Promise<number | null>;
let received: IncomingRequest | undefined;
let unknownHostCause: unknown;
let trusted: string;
let baseIsLoopback: boolean;

beforeEach(() => {
  domains = (host) => ({ 'links.example': 0, 'go.example.org': custom })[host] ?? null;
  received = undefined;
  unknownHostCause = undefined;
  trusted = '0';
  baseIsLoopback = true;
});

const respondWith = (text: string) => (incoming: IncomingRequest) => {
  received = incoming;
  return new Response(text);
};

const routes = (): Routes => ({
  https: null,
  onAnyHost: () => null,
  trustedProxies: options.trustedProxies.parse(trusted),
  baseIsLoopback,
  domainOf: (host) => domains(host),
  isCustom: (domainId) => domainId === custom,
  service: new Map([
    ['api', respondWith('api')],
    ['robots.txt', respondWith('robots')],
  ]),
  hostless: new Set(['healthz']),
  home: respondWith('home'),
  link: (incoming, domainId) => respondWith(`link of ${domainId}`)(incoming),
  unknownHost: (incoming, cause) => {
    unknownHostCause = cause;
    return respondWith('unknown host')(incoming);
  },
  badRequest: () => new Response('bad request'),
});

/** Sends a request, and returns the name of the route that answered it. */
async function send(
  url: string,
  headers: Record<string, string> = {},
  peer = '203.0.113.7',
): Promise<string> {
  const caller = { address: peer, keepOpen: () => {} };
  const { host } = new URL(url);
  return (await router(routes())(new Request(url, { headers: { host, ...headers } }), caller)).text();
}

describe('routes', () => {
  test.each([
    ['https://links.example/', 'home'],
    ['https://links.example/?q', 'home'],
    ['https://links.example//', 'link of 0'],
    ['https://links.example//evil.example/x', 'link of 0'],
    ['https://links.example/api', 'api'],
    ['https://links.example/api/v1/link', 'api'],
    ['https://links.example/apis', 'link of 0'],
    ['https://links.example/API/v1', 'link of 0'],
    ['https://links.example/robots.txt', 'robots'],
    ['https://links.example/offer', 'link of 0'],
    ['https://go.example.org/', 'link of 5'],
    ['https://go.example.org/api/v1/link', 'link of 5'],
    ['https://go.example.org/robots.txt', 'robots'],
    ['https://elsewhere.example/', 'unknown host'],
    ['https://elsewhere.example/offer', 'unknown host'],
    ['https://elsewhere.example/api/v1/link', 'api'],
  ])('%s: %s', async (url, route) => {
    expect(await send(url)).toBe(route);
    const lookUp = domains;
    domains = async (host) => lookUp(host);
    expect(await send(url)).toBe(route);
  });

  test.each([
    '',
    ' ',
    'a b',
    'a,b',
    'links.example, evil.example',
    'h:99999',
    '[::1',
    'u@links.example',
    'links.example/x',
    'links.example?',
    'links..example/',
    '-',
    '<script>',
    'x'.repeat(300),
  ])('a request for the host "%s" is malformed', async (host) => {
    expect(await send('https://links.example/offer', { host })).toBe('bad request');
  });

  test('path and query are passed on unchanged', async () => {
    await send('https://links.example/caf%C3%A9/x%2Fy/?a=1&b=%20?c');
    expect([received?.host, received?.path, received?.search]).toEqual([
      'links.example',
      '/caf%C3%A9/x%2Fy/',
      '?a=1&b=%20?c',
    ]);
  });

  test("while hosts can't be looked up, the API still answers, and requests for other hosts get an explanation", async () => {
    domains = () => Promise.reject(new Error('away'));
    expect(await send('https://go.example.org/api/v1/link')).toBe('api');
    expect(await send('https://go.example.org/offer')).toBe('unknown host');
    expect(unknownHostCause).toEqual(new Error('away'));
  });
});

describe('calls from this machine', () => {
  const from = async (peer: string, url: string, headers: Record<string, string> = {}) => {
    await send(url, headers, peer);
    return received?.isLocal();
  };
  const localUrl = 'http://127.0.0.1:3000/api/v1/user';

  test("are those of a local program or the service's own page", async () => {
    expect(await from('127.0.0.1', localUrl)).toBe(true);
    expect(await from('::1', 'http://[::1]:3000/api/v1/user')).toBe(true);
    expect(await from('::ffff:127.0.0.1', 'http://localhost:3000/api/v1/user')).toBe(true);
    expect(
      await from('127.0.0.1', localUrl, { origin: 'http://127.0.0.1:3000', 'sec-fetch-site': 'same-origin' }),
    ).toBe(true);
  });

  test('are not those of other clients, whatever they claim', async () => {
    expect(await from('203.0.113.7', localUrl)).toBe(false);
    expect(await from('203.0.113.7', localUrl, { 'x-forwarded-for': '127.0.0.1' })).toBe(false);
    expect(await from('127.0.0.1', 'http://links.example/api/v1/user')).toBe(false);
    for (const header of [
      'x-forwarded-for',
      'x-forwarded-host',
      'x-forwarded-proto',
      'forwarded',
      'via',
      'x-real-ip',
      'cf-connecting-ip',
    ])
      expect([header, await from('127.0.0.1', localUrl, { [header]: '127.0.0.1' })]).toEqual([header, false]);
    for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1:3001', 'http://localhost:3000'])
      expect([origin, await from('127.0.0.1', localUrl, { origin })]).toEqual([origin, false]);
    for (const site of ['cross-site', 'same-site'])
      expect([site, await from('127.0.0.1', localUrl, { 'sec-fetch-site': site })]).toEqual([site, false]);
  });
});

test('no call counts as local if the service is reached at another address, or through a proxy', async () => {
  const isLocal = async () => {
    await send('http://localhost:3000/api/v1/user', {}, '127.0.0.1');
    return received?.isLocal();
  };
  expect(await isLocal()).toBe(true);
  baseIsLoopback = false;
  expect(await isLocal()).toBe(false);
  baseIsLoopback = true;
  for (const proxies of ['1', '127.0.0.1', '10.0.0.0/8']) {
    trusted = proxies;
    expect([proxies, await isLocal()]).toEqual([proxies, false]);
  }
});

describe('internal requests', () => {
  const isInternal = async (peer: string, proxies: string, headers: Record<string, string> = {}) => {
    trusted = proxies;
    await send('http://127.0.0.1:3000/api/v1/user', headers, peer);
    return received?.isInternal();
  };

  test.each([
    ['127.0.0.1', '0', true],
    ['::1', '1', true],
    ['::ffff:127.0.0.1', '10.0.0.0/8', true],
    ['10.0.0.7', '10.0.0.0/8', true],
    ['203.0.113.7', '203.0.113.7', true],
    ['172.18.0.2', '1', true],
    ['fd00::2', '2', true],
    ['10.0.0.7', '0', false],
    ['10.0.0.7', '192.168.0.0/16', false],
    ['203.0.113.7', '0', false],
    ['203.0.113.7', '1', false],
    ['2001:db8::7', '1', false],
    ['203.0.113.7', '10.0.0.0/8', false],
  ])('%s with TRUSTED_PROXIES=%s: %p', async (peer, proxies, answer) => {
    expect(await isInternal(peer, proxies)).toBe(answer);
  });

  test("don't include those that a proxy makes for a visitor", async () => {
    expect(await isInternal('127.0.0.1', '1', { 'x-forwarded-for': '203.0.113.7' })).toBe(false);
    expect(await isInternal('10.0.0.7', '10.0.0.0/8', { forwarded: 'for=203.0.113.7' })).toBe(false);
  });
});
