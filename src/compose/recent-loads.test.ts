import { expect, test } from 'bun:test';
import { RecentLoads } from './recent-loads.ts';

const absent = async () => null;
const address = (suffix: string) => ({ domainId: 0, suffix });

test('what was loaded before a poll that succeeded is confirmed, what was loaded during it is not', async () => {
  const recent = new RecentLoads();
  const [link, host] = [recent.ofLinks(absent), recent.ofHosts(absent)];
  await Promise.all([link(0, 'before'), host('before.example')]);
  recent.pollBegins();
  await Promise.all([link(0, 'during'), host('during.example')]);
  expect(recent.unconfirmed).toEqual({
    links: [address('before'), address('during')],
    hosts: ['before.example', 'during.example'],
  });
  recent.pollSucceeded();
  expect(recent.unconfirmed).toEqual({ links: [address('during')], hosts: ['during.example'] });
});

test('polls that fail confirm nothing', async () => {
  const recent = new RecentLoads();
  const link = recent.ofLinks(absent);
  await link(0, 'one');
  recent.pollBegins();
  await link(0, 'two');
  recent.pollBegins();
  expect(recent.unconfirmed?.links).toEqual([address('one'), address('two')]);
});

test('too many are not told one by one, until a poll has confirmed them', async () => {
  const recent = new RecentLoads(3);
  const [link, host] = [recent.ofLinks(absent), recent.ofHosts(absent)];
  for (const suffix of ['one', 'two', 'three']) await link(0, suffix);
  expect(recent.unconfirmed?.links).toHaveLength(3);
  await host('one.example');
  recent.pollBegins();
  recent.pollBegins();
  expect(recent.unconfirmed).toBeNull();
  recent.pollSucceeded();
  await host('two.example');
  expect(recent.unconfirmed).toEqual({ links: [], hosts: ['two.example'] });
});

test('a load that fails caches nothing, and a link that is found at once is passed on at once', async () => {
  const recent = new RecentLoads();
  const fails = () => Promise.reject(new Error('away'));
  expect(recent.ofLinks(fails)(0, 'one')).rejects.toThrow('away');
  expect(recent.ofHosts(fails)('one.example')).rejects.toThrow('away');
  expect(recent.ofLinks(() => null)(0, 'two')).toBeNull();
  expect(recent.unconfirmed).toEqual({ links: [], hosts: [] });
});
