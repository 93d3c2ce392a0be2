import { beforeEach, expect, test } from 'bun:test';
import { Site } from '../rules/site.ts';
import { Hosts } from './hosts.ts';

let now: number;
let domains: Map<string, number>;
let asked: string[];
let isAway: boolean;
let hosts: Hosts;

beforeEach(() => {
  now = 1_900_000_000_000;
  domains = new Map([['go.example.org', 5]]);
  asked = [];
  isAway = false;
  const load = async (host: string) => {
    asked.push(host);
    if (isAway) throw new Error('away');
    return domains.get(host) ?? null;
  };
  hosts = new Hosts(new Site(new URL('https://links.example.com')), load, () => now);
});

test('the default host is known without asking', () => {
  expect(hosts.domainOf('links.example.com')).toBe(0);
  expect(asked).toEqual([]);
});

test('a custom domain is asked for once a minute', async () => {
  expect(await hosts.domainOf('go.example.org')).toBe(5);
  expect(hosts.domainOf('go.example.org')).toBe(5);
  now += 61_000;
  expect(await hosts.domainOf('go.example.org')).toBe(5);
  expect(asked).toHaveLength(2);
});

test('a domain that is verified a moment after somebody asked for it answers within seconds', async () => {
  expect(await hosts.domainOf('new.example.org')).toBeNull();
  domains.set('new.example.org', 6);
  expect(hosts.domainOf('new.example.org')).toBeNull();
  now += 5_001;
  expect(await hosts.domainOf('new.example.org')).toBe(6);
});

test('a domain that is given up stops answering within a minute', async () => {
  await hosts.domainOf('go.example.org');
  domains.clear();
  now += 61_000;
  expect(await hosts.domainOf('go.example.org')).toBeNull();
});

test('while the database is away a known domain goes on, and its visitors do not each wait for the database', async () => {
  await hosts.domainOf('go.example.org');
  isAway = true;
  now += 61_000;
  expect(await hosts.domainOf('go.example.org')).toBe(5);
  const asks = asked.length;
  for (let visit = 0; visit < 100; visit++) expect(await hosts.domainOf('go.example.org')).toBe(5);
  expect(asked.length).toBe(asks);
  now += 24 * 3_600_000;
  expect(await hosts.domainOf('go.example.org')).toBe(5);
  isAway = false;
  domains.clear();
  now += 61_000;
  expect(await hosts.domainOf('go.example.org')).toBeNull();
});

test('while the database is away nobody is told that an unknown host is none of ours', async () => {
  await hosts.domainOf('other.example.org');
  isAway = true;
  now += 61_000;
  await expect(Promise.resolve(hosts.domainOf('other.example.org'))).rejects.toThrow('away');
  await expect(Promise.resolve(hosts.domainOf('never.example.org'))).rejects.toThrow('away');
});
