import { expect, test } from 'bun:test';
import type { KeyHolder } from '../storage/api-keys.ts';
import { ApiKeyCache } from './api-key-cache.ts';

const holderOf = (userId: number): KeyHolder => ({
  ...{ keyId: userId * 10, lastUsedAt: null, userId },
  ...{ organizationId: 1, role: 'editor' },
});

/** A store of keys whose answers can be delayed, and a clock. */
function prepare() {
  const stored = new Map<string, KeyHolder>();
  const asked: string[] = [];
  const clock = { now: 0 };
  let held: Promise<void> | null = null;
  const holders = new ApiKeyCache(
    async (hash) => {
      asked.push(hash);
      const found = stored.get(hash);
      await held;
      return found;
    },
    1_000,
    () => clock.now,
  );
  const holdUp = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    held = promise;
    return () => {
      held = null;
      resolve();
    };
  };
  return { stored, asked, clock, holders, holdUp };
}

test('a key is looked up once, and again after it expires', async () => {
  const { stored, asked, clock, holders } = prepare();
  stored.set('a', holderOf(1));
  await holders.find('a');
  clock.now = 999;
  expect(await holders.find('a')).toEqual(holderOf(1));
  expect(asked).toEqual(['a']);
  stored.delete('a');
  clock.now = 1_000;
  expect(await holders.find('a')).toBeUndefined();
});

test('an unknown key is not cached', async () => {
  const { stored, holders } = prepare();
  expect(await holders.find('a')).toBeUndefined();
  stored.set('a', holderOf(1));
  expect(await holders.find('a')).toEqual(holderOf(1));
});

test('a change of a user drops all keys of that user, and no others', async () => {
  const { stored, asked, holders } = prepare();
  for (const [hash, userId] of [...'abc'].map((hash, index) => [hash, index === 2 ? 2 : 1] as const)) {
    stored.set(hash, holderOf(userId));
    await holders.find(hash);
  }
  holders.forget(1);
  for (const hash of 'abc') await holders.find(hash);
  expect(asked.join('')).toBe('abcab');
});

test('a lookup that began before a change is not cached after it', async () => {
  const { stored, asked, holders, holdUp } = prepare();
  for (const drop of [() => holders.forget(1), () => holders.clear()]) {
    stored.set('a', holderOf(1));
    const release = holdUp();
    const early = holders.find('a');
    stored.delete('a');
    drop();
    release();
    expect(await early).toEqual(holderOf(1));
    expect(await holders.find('a')).toBeUndefined();
  }
  expect(asked.length).toBe(4);
});

test('at most ten thousand are cached, the newest', async () => {
  const { stored, asked, holders } = prepare();
  for (let index = 0; index <= 10_000; index++) {
    stored.set(`${index}`, holderOf(1));
    await holders.find(`${index}`);
  }
  asked.length = 0;
  for (const hash of ['10000', '1', '0']) await holders.find(hash);
  expect(asked).toEqual(['0']);
});
