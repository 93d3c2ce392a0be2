import { expect, test } from 'bun:test';
import { RecentLoads } from './recent-loads.ts';

const absent = async () => null;
const address = (suffix: string) => ({ domainId: 0, suffix });

test('a successful poll confirms what was loaded before it began, but not what was loaded during it', async () => {
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

test('loads beyond the limit are not listed one by one until a poll has confirmed them', async () => {
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

test('a load that fails is not recorded, and neither is a link that is found synchronously', async () => {
  const recent = new RecentLoads();
  const failingLoad = () => Promise.reject(new Error('away'));
  await expect(recent.ofLinks(failingLoad)(0, 'one')).rejects.toThrow('away');
  await expect(recent.ofHosts(failingLoad)('one.example')).rejects.toThrow('away');
  expect(recent.ofLinks(() => null)(0, 'two')).toBeNull();
  expect(recent.unconfirmed).toEqual({ links: [], hosts: [] });
});
