import { expect, test } from 'bun:test';
import { selfSigned } from '../../../test/support/certificate.ts';
import { dayLength } from '../../rules/durations.ts';
import { CertificateFinder, type Found } from './certificate-finder.ts';

const { certificate, key } = selfSigned('go.example.org');
const pair = { certificate, key };
const ready = (until = 1e15): Found => ({ kind: 'certificate', pair: { ...pair }, until });
const proof = { kind: 'proof', pair, hasFailed: false } as const;

function finderOf(load: (host: string) => Promise<Found>, timeout = 60_000) {
  const clock = { now: 0 };
  const requested: string[] = [];
  const givenUp = new Set<string>();
  const finder = new CertificateFinder({
    isServed: (host) => host.endsWith('.example.org') && !givenUp.has(host),
    load,
    request: (host) => void requested.push(host),
    now: () => clock.now,
    timeout,
  });
  return { finder, clock, requested, givenUp };
}

test('a name is loaded once, in any case', async () => {
  let loads = 0;
  const { finder } = finderOf(async () => {
    loads += 1;
    return ready();
  });
  const first = await finder.find('go.example.org', '');
  expect(first).not.toBeNull();
  expect(finder.find('GO.example.org', '')).toBe(first);
  expect(loads).toBe(1);
});

test('a name that is not served is refused, and neither loaded nor ordered', async () => {
  const { finder, requested } = finderOf(() => Promise.reject(new Error('loaded')));
  expect(await finder.find('stranger.example.net', '')).toBeNull();
  expect(requested).toEqual([]);
});

test('a visitor waits for a certificate, and is not shown the validation certificate', async () => {
  let found: Found = { kind: 'none', hasFailed: false };
  const { finder, requested } = finderOf(async () => found);
  const visitor = Promise.resolve(finder.find('go.example.org', 'visitor'));
  await Bun.sleep(0);
  found = proof;
  finder.forget('go.example.org');
  expect(await finder.find('go.example.org', 'authority')).not.toBeNull();
  const served = ready();
  found = served;
  finder.forget('go.example.org');
  const context = await visitor;
  expect(context).toBe(await finder.find('go.example.org', 'other'));
  expect(requested).toContain('go.example.org');
});

test('a name whose order was refused is refused at once', async () => {
  const { finder } = finderOf(async () => ({ kind: 'refused' }));
  expect(await finder.find('go.example.org', '')).toBeNull();
  await finder.isRefused('go.example.org');
  expect(finder.isRefused('go.example.org')).toBe(true);
});

test('visitors are not sent to a name whose refused certificate is ordered again, but to one that is ordered first', async () => {
  for (const hasFailed of [true, false])
    for (const found of [{ kind: 'none', hasFailed } as const, { ...proof, hasFailed }])
      expect(await finderOf(async () => found).finder.isRefused('go.example.org')).toBe(hasFailed);
});

test('while the store is away, names served before still are', async () => {
  let isUnavailable = false;
  const { finder, clock } = finderOf(() =>
    isUnavailable ? Promise.reject(new Error('away')) : Promise.resolve(ready()),
  );
  const context = await finder.find('go.example.org', '');
  isUnavailable = true;
  clock.now += dayLength;
  expect(await finder.find('go.example.org', '')).toBe(context as NonNullable<typeof context>);
  await expect(Promise.resolve(finder.find('new.example.org', ''))).rejects.toThrow('away');
});

test('a name that is given up while its visitors wait is neither served nor cached', async () => {
  let found: Found = { kind: 'none', hasFailed: false };
  const { finder, givenUp } = finderOf(async () => found);
  const visitor = Promise.resolve(finder.find('go.example.org', ''));
  await Bun.sleep(0);
  givenUp.add('go.example.org');
  found = ready();
  finder.forget('go.example.org');
  expect(await visitor).toBeNull();
  expect(await finder.find('go.example.org', '')).toBeNull();
});

test('if a change is announced while a certificate is loaded, the next handshake loads it again', async () => {
  const loads = [Promise.withResolvers<Found>(), Promise.withResolvers<Found>()];
  let count = 0;
  const { finder } = finderOf(() => loads[count++]?.promise ?? Promise.reject(new Error('loaded too often')));
  const first = Promise.resolve(finder.find('go.example.org', ''));
  await Bun.sleep(0);
  finder.forget('go.example.org');
  loads[0]?.resolve(ready());
  expect(await first).not.toBeNull();
  loads[1]?.resolve({ kind: 'refused' });
  expect(await finder.find('go.example.org', '')).toBeNull();
});
