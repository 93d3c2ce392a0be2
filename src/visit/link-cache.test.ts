import { beforeEach, describe, expect, test } from 'bun:test';
import { visitedLink } from '../../test/support/test-link.ts';
import type { LinkForVisitor } from '../rules/link-rules/resolve.ts';
import { LinkCache } from './link-cache.ts';

const bounds = { bytes: 100_000, misses: 1_000 };

/** A store whose lookups end when the test ends them. */
class Store {
  readonly queried: string[] = [];
  readonly #open: { resolve: (found: LinkForVisitor | null) => void; reject: (cause: Error) => void }[] = [];

  readonly load = (domainId: number, suffix: string): Promise<LinkForVisitor | null> => {
    this.queried.push(`${domainId} ${suffix}`);
    return new Promise((resolve, reject) => this.#open.push({ resolve, reject }));
  };

  answer(found: LinkForVisitor | null): void {
    this.#open.shift()?.resolve(found);
  }

  fail(): void {
    this.#open.shift()?.reject(new Error('away'));
  }
}

let store: Store;
let cache: LinkCache;

beforeEach(() => {
  store = new Store();
  cache = new LinkCache(store.load, bounds);
});

async function fetched(domainId: number, suffix: string, found: LinkForVisitor | null) {
  const fetching = cache.fetch(domainId, suffix);
  store.answer(found);
  return fetching;
}

describe('cached links', () => {
  test('a link is queried once, and cached from then on', async () => {
    expect(cache.peek(0, 'a')).toBeUndefined();
    expect(await fetched(0, 'a', visitedLink('https://one.example/'))).toEqual(
      visitedLink('https://one.example/'),
    );
    expect(cache.peek(0, 'a')?.destinationUrl).toBe('https://one.example/');
    expect(store.queried).toEqual(['0 a']);
  });

  test('a miss is cached as well', async () => {
    expect(await fetched(0, 'a', null)).toBeNull();
    expect(cache.peek(0, 'a')).toBeNull();
  });

  test('a link created after a miss is found once it is announced', async () => {
    await fetched(0, 'a', null);
    cache.forget(0, 'a');
    expect(cache.peek(0, 'a')).toBeUndefined();
    await fetched(0, 'a', visitedLink('https://one.example/'));
    expect(cache.peek(0, 'a')?.destinationUrl).toBe('https://one.example/');
  });

  test('the same suffix on another domain is another link', async () => {
    await fetched(0, 'a', visitedLink('https://default.example/'));
    await fetched(5, 'a', visitedLink('https://custom.example/'));
    expect(cache.peek(0, 'a')?.destinationUrl).toBe('https://default.example/');
    expect(cache.peek(5, 'a')?.destinationUrl).toBe('https://custom.example/');
    expect(cache.peek(6, 'a')).toBeUndefined();
    cache.forget(5, 'a');
    expect(cache.peek(0, 'a')?.destinationUrl).toBe('https://default.example/');
    expect(cache.peek(5, 'a')).toBeUndefined();
  });

  test('clearing drops links and misses', async () => {
    await fetched(0, 'a', visitedLink('https://one.example/'));
    await fetched(0, 'b', null);
    cache.clear();
    expect(cache.peek(0, 'a')).toBeUndefined();
    expect(cache.peek(0, 'b')).toBeUndefined();
  });

  test('long missing addresses take no more memory than short ones', async () => {
    const remembered = async (suffixOf: (index: number) => string) => {
      for (let index = 0; index < 2_000; index++) await fetched(0, suffixOf(index), null);
      const kept = Array.from({ length: 2_000 }, (_, index) => suffixOf(index)).filter(
        (suffix) => cache.peek(0, suffix) === null,
      );
      return { addresses: kept.length, characters: kept.join('').length };
    };
    expect((await remembered((index) => `s${index}`)).addresses).toBe(bounds.misses);
    const long = await remembered((index) => `${'🦊'.repeat(250)}${index}`);
    expect(long.addresses).toBeGreaterThan(20);
    expect(long.characters).toBeLessThan(50_000);
  });

  test('links stay within their memory limit, and misses evict no links', async () => {
    await fetched(0, 'kept', visitedLink('https://kept.example/'));
    for (let miss = 0; miss < 5_000; miss++) await fetched(0, `miss ${miss}`, null);
    expect(cache.peek(0, 'kept')).toBeDefined();
    const long = `https://long.example/${'x'.repeat(8_000)}`;
    for (let index = 0; index < 100; index++) await fetched(0, `long ${index}`, visitedLink(long));
    const cached = Array.from({ length: 100 }, (_, index) => cache.peek(0, `long ${index}`)).filter(Boolean);
    expect(cached.length).toBeGreaterThan(2);
    expect(cached.length * long.length).toBeLessThan(bounds.bytes + long.length);
  });
});

describe('the memory of cached links', () => {
  const bytes = 1_000_000;
  let kept: LinkCache;
  beforeEach(() => {
    kept = new LinkCache(
      (_, suffix) => {
        const destination = `https://example.com/${suffix}`;
        return visitedLink(destination, suffix.startsWith('plain') ? null : { captcha: true });
      },
      { bytes, misses: 100 },
    );
  });
  const fetch = (kind: string) => {
    for (let index = 0; index < 20_000; index++) void kept.fetch(0, `${kind} ${index}`);
  };
  const countOf = (kind: string) =>
    Array.from({ length: 20_000 }, (_, index) => kept.peek(0, `${kind} ${index}`)).filter(Boolean).length;

  test('is all for one kind if there is no other, and half for each if both need it', () => {
    fetch('plain');
    const plain = countOf('plain');
    fetch('rich');
    expect(countOf('plain')).toBeGreaterThan(plain * 0.4);
    expect(countOf('plain')).toBeLessThan(plain * 0.6);
    kept.clear();
    fetch('rich');
    const rich = countOf('rich');
    expect(plain).toBeGreaterThan(3 * rich);
    fetch('plain');
    expect(countOf('rich')).toBeGreaterThan(rich * 0.4);
    expect(countOf('rich')).toBeLessThan(rich * 0.6);
  });

  test('has room for a link that was just loaded, even if all others are in use', () => {
    fetch('rich');
    for (let index = 0; index < 50; index++) {
      countOf('rich');
      void kept.fetch(0, `new ${index}`);
      expect(kept.peek(0, `new ${index}`)).toBeDefined();
    }
  });

  test('is that of the kind that a link has now', async () => {
    let isPlain = true;
    const changing = new LinkCache(
      () => visitedLink('https://example.com', isPlain ? null : { captcha: true }),
      { bytes, misses: 100 },
    );
    for (const now of [true, false, true]) {
      isPlain = now;
      changing.forget(0, 'a');
      expect(changing.peek(0, 'a')).toBeUndefined();
      await changing.fetch(0, 'a');
      expect(changing.peek(0, 'a')?.options === null).toBe(now);
    }
    isPlain = false;
    void changing.fetch(0, 'b');
    isPlain = true;
    void changing.fetch(0, 'b');
    for (let index = 0; index < 20_000; index++) void changing.fetch(0, `other ${index}`);
    expect(changing.peek(0, 'b')).toBeUndefined();
  });
});

describe('a link found by an alias', () => {
  const own = { domainId: 5, suffix: 'own' };
  const byAlias = { ...visitedLink('https://one.example/'), ownAddress: own, alias: 'alias' };

  test('is cached under its own address, so that announcing a change of that one is enough', async () => {
    expect((await fetched(0, 'alias', byAlias))?.destinationUrl).toBe('https://one.example/');
    expect(cache.peek(0, 'alias')).toBeUndefined();
    expect((await fetched(0, 'alias', visitedLink('https://one.example/')))?.alias).toBe('alias');
    const own = cache.peek(5, 'own') as LinkForVisitor;
    expect(own.alias).toBeUndefined();
    expect(cache.peek(0, 'alias')).toEqual({ ...own, alias: 'alias' });
    cache.forget(5, 'own');
    expect(cache.peek(0, 'alias')).toBeUndefined();
    await fetched(0, 'alias', visitedLink('https://two.example/'));
    expect(cache.peek(0, 'alias')?.destinationUrl).toBe('https://two.example/');
    expect(store.queried).toEqual(['0 alias', '5 own', '5 own']);
  });

  test('is queried again if another link, or none, has that address meanwhile', async () => {
    await fetched(0, 'alias', byAlias);
    await fetched(5, 'own', { ...visitedLink('https://other.example/'), id: 2 });
    expect(cache.peek(0, 'alias')).toBeUndefined();
    expect((await fetched(0, 'alias', byAlias))?.destinationUrl).toBe('https://one.example/');
    cache.forget(5, 'own');
    const gone = cache.fetch(0, 'alias');
    store.answer(null);
    await new Promise(setImmediate);
    store.answer(null);
    expect(await gone).toBeNull();
    expect(cache.peek(0, 'alias')).toBeNull();
    expect(store.queried).toEqual(['0 alias', '5 own', '0 alias', '5 own', '0 alias']);
  });

  test('is dropped with its alias', async () => {
    await fetched(0, 'alias', byAlias);
    await fetched(5, 'own', visitedLink('https://one.example/'));
    cache.forget(0, 'alias');
    expect(cache.peek(0, 'alias')).toBeUndefined();
    expect(await fetched(0, 'alias', null)).toBeNull();
  });
});

describe('concurrent lookups', () => {
  test('a hundred at once make one query and get the same result', async () => {
    const all = Promise.all(Array.from({ length: 100 }, () => cache.fetch(0, 'a')));
    store.answer(visitedLink('https://one.example/'));
    expect(new Set((await all).map((found) => found?.destinationUrl))).toEqual(
      new Set(['https://one.example/']),
    );
    expect(store.queried).toEqual(['0 a']);
  });

  test('a failed query fails for all callers that waited, is not cached, and the next one queries again', async () => {
    const all = Promise.allSettled(Array.from({ length: 100 }, () => cache.fetch(0, 'a')));
    store.fail();
    expect((await all).every(({ status }) => status === 'rejected')).toBe(true);
    expect(cache.peek(0, 'a')).toBeUndefined();
    expect(await fetched(0, 'a', null)).toBeNull();
    expect(store.queried).toHaveLength(2);
  });
});

describe('a link that changes while it is read', () => {
  test('is given to requests from before the change, and not cached', async () => {
    const before = cache.fetch(0, 'a');
    cache.forget(0, 'a');
    store.answer(visitedLink('https://old.example/'));
    expect((await before)?.destinationUrl).toBe('https://old.example/');
    expect(cache.peek(0, 'a')).toBeUndefined();
  });

  test('is read again for requests after the change, even if the first query is still running', async () => {
    const before = cache.fetch(0, 'a');
    cache.forget(0, 'a');
    const after = cache.fetch(0, 'a');
    const concurrent = cache.fetch(0, 'a');
    expect(store.queried).toHaveLength(2);
    store.answer(visitedLink('https://old.example/'));
    await before;
    expect(cache.peek(0, 'a')).toBeUndefined();
    store.answer(visitedLink('https://new.example/'));
    expect((await after)?.destinationUrl).toBe('https://new.example/');
    expect((await concurrent)?.destinationUrl).toBe('https://new.example/');
    expect(cache.peek(0, 'a')?.destinationUrl).toBe('https://new.example/');
  });

  test('is not replaced by an older result that arrives late', async () => {
    let resolveOld: (found: LinkForVisitor) => void = () => {};
    const answers = [
      new Promise<LinkForVisitor>((resolve) => {
        resolveOld = resolve;
      }),
      Promise.resolve(visitedLink('https://new.example/')),
    ];
    const slowCache = new LinkCache(() => answers.shift() ?? Promise.resolve(null), bounds);
    const before = slowCache.fetch(0, 'a');
    slowCache.forget(0, 'a');
    await slowCache.fetch(0, 'a');
    resolveOld(visitedLink('https://old.example/'));
    await before;
    expect(slowCache.peek(0, 'a')?.destinationUrl).toBe('https://new.example/');
  });

  test('is not cached as a miss that was read before its creation', async () => {
    const before = cache.fetch(0, 'a');
    cache.forget(0, 'a');
    store.answer(null);
    expect(await before).toBeNull();
    expect(cache.peek(0, 'a')).toBeUndefined();
  });

  test('is not cached if the cache was cleared meanwhile', async () => {
    const before = cache.fetch(0, 'a');
    cache.clear();
    store.answer(visitedLink('https://old.example/'));
    await before;
    expect(cache.peek(0, 'a')).toBeUndefined();
  });
});

describe('a store that answers synchronously', () => {
  test('is queried once, and nothing waits for it', async () => {
    const queried: string[] = [];
    const synchronousCache = new LinkCache((_domainId, suffix) => {
      queried.push(suffix);
      if (suffix === 'broken') throw new Error('away');
      return suffix === 'a' ? visitedLink('https://one.example/') : null;
    }, bounds);
    expect(synchronousCache.fetch(0, 'a')).toHaveProperty('destinationUrl', 'https://one.example/');
    expect(synchronousCache.fetch(0, 'none')).toBeNull();
    expect([synchronousCache.peek(0, 'a')?.destinationUrl, synchronousCache.peek(0, 'none')]).toEqual([
      'https://one.example/',
      null,
    ]);
    synchronousCache.forget(0, 'a');
    expect(synchronousCache.peek(0, 'a')).toBeUndefined();
    const broken = synchronousCache.fetch(0, 'broken');
    expect(broken).toBeInstanceOf(Promise);
    expect(await Promise.resolve(broken).catch((cause) => cause.message)).toBe('away');
    expect(synchronousCache.peek(0, 'broken')).toBeUndefined();
    expect(queried).toEqual(['a', 'none', 'broken']);
  });
});
