import { expect, test } from 'bun:test';
import type { KeyOwner } from '../storage/accounts/api-keys.ts';
import { ApiKeyCache } from './api-key-cache.ts';

const ownerOf = (userId: number): KeyOwner => ({
  ...{ keyId: userId * 10, lastUsedAt: null, userId },
  ...{ organizationId: 1, role: 'editor' },
});

/** A cache of the keys in a store whose queries can be delayed, and a clock. */
function prepare() {
  const stored = new Map<string, KeyOwner>();
  const queried: string[] = [];
  const clock = { now: 0 };
  let delay: Promise<void> | null = null;
  const cache = new ApiKeyCache(
    async (hash) => {
      queried.push(hash);
      const found = stored.get(hash);
      await delay;
      return found;
    },
    1_000,
    () => clock.now,
  );
  const delayQueries = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    delay = promise;
    return () => {
      delay = null;
      resolve();
    };
  };
  return { stored, queried, clock, cache, delayQueries };
}

test('a key is looked up once, and again after it expires', async () => {
  const { stored, queried, clock, cache } = prepare();
  stored.set('a', ownerOf(1));
  await cache.find('a');
  clock.now = 999;
  expect(await cache.find('a')).toEqual(ownerOf(1));
  expect(queried).toEqual(['a']);
  stored.delete('a');
  clock.now = 1_000;
  expect(await cache.find('a')).toBeUndefined();
});

test('an unknown key is not cached', async () => {
  const { stored, cache } = prepare();
  expect(await cache.find('a')).toBeUndefined();
  stored.set('a', ownerOf(1));
  expect(await cache.find('a')).toEqual(ownerOf(1));
});

test('a change of a user drops all keys of that user, and no others', async () => {
  const { stored, queried, cache } = prepare();
  for (const [hash, userId] of [...'abc'].map((hash, index) => [hash, index === 2 ? 2 : 1] as const)) {
    stored.set(hash, ownerOf(userId));
    await cache.find(hash);
  }
  cache.forget(1);
  for (const hash of 'abc') await cache.find(hash);
  expect(queried.join('')).toBe('abcab');
});

test('a lookup that began before a change is not cached after it', async () => {
  const { stored, queried, cache, delayQueries } = prepare();
  for (const drop of [() => cache.forget(1), () => cache.clear()]) {
    stored.set('a', ownerOf(1));
    const release = delayQueries();
    const early = cache.find('a');
    stored.delete('a');
    drop();
    release();
    expect(await early).toEqual(ownerOf(1));
    expect(await cache.find('a')).toBeUndefined();
  }
  expect(queried.length).toBe(4);
});

test('at most ten thousand keys are cached, the newest ones', async () => {
  const { stored, queried, cache } = prepare();
  for (let index = 0; index <= 10_000; index++) {
    stored.set(`${index}`, ownerOf(1));
    await cache.find(`${index}`);
  }
  queried.length = 0;
  for (const hash of ['10000', '1', '0']) await cache.find(hash);
  expect(queried).toEqual(['0']);
});
