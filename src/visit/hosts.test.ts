import { beforeEach, expect, test } from 'bun:test';
import { dayLength } from '../rules/durations.ts';
import { Site } from '../rules/site.ts';
import { type HostDomain, Hosts } from './hosts.ts';

let now: number;
let domains: Map<string, HostDomain>;
let queried: string[];
let isUnavailable: boolean;
/** The store answers once this is resolved. */
let response: Promise<unknown>;
let hosts: Hosts;

const domain = (id: number, fallbacks: Partial<HostDomain> = {}): HostDomain => ({
  id,
  rootUrl: null,
  notFoundUrl: null,
  ...fallbacks,
});

beforeEach(() => {
  now = 1_900_000_000_000;
  domains = new Map([['go.example.org', domain(5)]]);
  queried = [];
  isUnavailable = false;
  response = Promise.resolve();
  const load = async (host: string) => {
    queried.push(host);
    const found = domains.get(host) ?? null;
    await response;
    if (isUnavailable) throw new Error('away');
    return found;
  };
  hosts = new Hosts(new Site(new URL('https://links.example.com')), load, () => now);
});

/** Resolves once background work has ended. */
const settled = () => new Promise(setImmediate);

test('the default host needs no query', () => {
  expect(hosts.domainOf('links.example.com')).toBe(0);
  expect(queried).toEqual([]);
});

test('a custom domain is queried once, and then once a minute in the background', async () => {
  expect(await hosts.domainOf('go.example.org')).toBe(5);
  for (let minute = 1; minute <= 3; minute++) {
    now += 61_000;
    for (let visit = 0; visit < 100; visit++) expect(hosts.domainOf('go.example.org')).toBe(5);
    await settled();
    expect(queried).toHaveLength(1 + minute);
  }
});

test('a hundred simultaneous visitors of an uncached domain cause one query', async () => {
  const ids = await Promise.all(Array.from({ length: 100 }, () => hosts.domainOf('go.example.org')));
  expect(new Set(ids)).toEqual(new Set([5]));
  expect(queried).toHaveLength(1);
});

test('a domain that is verified just after a miss is served as soon as it is announced', async () => {
  expect(await hosts.domainOf('new.example.org')).toBeNull();
  domains.set('new.example.org', domain(6));
  expect(hosts.domainOf('new.example.org')).toBeNull();
  hosts.forget('new.example.org');
  expect(await hosts.domainOf('new.example.org')).toBe(6);
});

test('a domain that is verified just after a miss is served within seconds if it is not announced', async () => {
  expect(await hosts.domainOf('new.example.org')).toBeNull();
  domains.set('new.example.org', domain(6));
  now += 5_001;
  expect(await hosts.domainOf('new.example.org')).toBe(6);
});

test('a domain that is given up stops at once when it is announced, otherwise within a minute', async () => {
  await hosts.domainOf('go.example.org');
  domains.clear();
  now += 61_000;
  expect(hosts.domainOf('go.example.org')).toBe(5);
  await settled();
  expect(hosts.domainOf('go.example.org')).toBeNull();
  domains.set('go.example.org', domain(7));
  hosts.forget('go.example.org');
  expect(await hosts.domainOf('go.example.org')).toBe(7);
  domains.clear();
  hosts.forget('go.example.org');
  expect(await hosts.domainOf('go.example.org')).toBeNull();
});

test('a query that was in progress when the change was announced is not cached', async () => {
  let respond = () => {};
  response = new Promise<void>((resolve) => {
    respond = resolve;
  });
  const before = hosts.domainOf('go.example.org');
  await settled();
  domains.set('go.example.org', domain(8));
  hosts.forget('go.example.org');
  const after = hosts.domainOf('go.example.org');
  respond();
  expect(await before).toBe(5);
  expect(await after).toBe(8);
  expect(hosts.domainOf('go.example.org')).toBe(8);
});

test('while the database is away a cached domain continues, and not every visitor causes a query', async () => {
  await hosts.domainOf('go.example.org');
  isUnavailable = true;
  now += 61_000;
  expect(hosts.domainOf('go.example.org')).toBe(5);
  await settled();
  const queries = queried.length;
  for (let visit = 0; visit < 100; visit++) expect(hosts.domainOf('go.example.org')).toBe(5);
  expect(queried.length).toBe(queries);
  now += dayLength;
  expect(hosts.domainOf('go.example.org')).toBe(5);
  await settled();
  isUnavailable = false;
  domains.clear();
  now += 61_000;
  hosts.domainOf('go.example.org');
  await settled();
  expect(hosts.domainOf('go.example.org')).toBeNull();
});

test('while the database is away, lookups of unknown hosts fail instead of reporting that the host does not exist', async () => {
  await hosts.domainOf('other.example.org');
  isUnavailable = true;
  now += 61_000;
  for (const host of ['other.example.org', 'never.example.org']) {
    const failure = await Promise.resolve(hosts.domainOf(host)).catch((cause: Error) => cause.message);
    expect(failure).toBe('away');
  }
});

test('a domain defines where visitors without a link go', async () => {
  const fallbacks = { rootUrl: 'https://example.org/', notFoundUrl: 'https://example.org/lost' };
  domains.set('go.example.org', domain(5, fallbacks));
  expect(hosts.fallbackFor('go.example.org', 'GET', '/')).toBeNull();
  await hosts.domainOf('go.example.org');
  expect(hosts.fallbackFor('go.example.org', 'GET', '/')).toBe('https://example.org/');
  expect(hosts.fallbackFor('go.example.org', 'HEAD', '/nothing')).toBe('https://example.org/lost');
  expect(hosts.fallbackFor('go.example.org', 'POST', '/nothing')).toBeNull();
  expect(hosts.fallbackFor('go.example.org', 'GET', '/api/v1/link')).toBeNull();
  expect(hosts.fallbackFor('links.example.com', 'GET', '/')).toBeNull();
});

test('a change that is announced again during its lookup still leaves every request a result', async () => {
  await hosts.domainOf('go.example.org');
  domains.set('go.example.org', domain(5, { rootUrl: 'https://example.org/' }));
  hosts.forget('go.example.org');
  const pending = hosts.domainOf('go.example.org');
  hosts.forget('go.example.org');
  expect(await pending).toBe(5);
  expect(hosts.fallbackFor('go.example.org', 'GET', '/')).toBe('https://example.org/');
  expect(hosts.domainOf('go.example.org')).toBeInstanceOf(Promise);
});

test('visits from before a change use the old fallback URL, and later ones the new one', async () => {
  domains.set('go.example.org', domain(5, { rootUrl: 'https://example.org/before' }));
  await hosts.domainOf('go.example.org');
  domains.set('go.example.org', domain(5, { rootUrl: 'https://example.org/after' }));
  hosts.forget('go.example.org');
  expect(hosts.fallbackFor('go.example.org', 'GET', '/')).toBe('https://example.org/before');
  expect(await hosts.domainOf('go.example.org')).toBe(5);
  expect(hosts.fallbackFor('go.example.org', 'GET', '/')).toBe('https://example.org/after');
  domains.clear();
  hosts.forget('go.example.org');
  expect(await hosts.domainOf('go.example.org')).toBeNull();
  expect(hosts.fallbackFor('go.example.org', 'GET', '/')).toBeNull();
});

test('a query that nothing waits for may fail', async () => {
  isUnavailable = true;
  expect(hosts.domainOf('go.example.org')).toBeInstanceOf(Promise);
  await settled();
  await settled();
});
