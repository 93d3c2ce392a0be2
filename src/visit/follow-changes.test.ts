import { beforeEach, describe, expect, test } from 'bun:test';
import type { LinkChange } from '../storage/changes.ts';
import { ChangeFollower } from './follow-changes.ts';
import type { IdRange } from './id-gaps.ts';

const second = 1_000;
const hour = 3_600 * second;

/** A feed in which the test decides when a change appears. */
class Feed {
  readonly rows = new Map<number, LinkChange>();
  isAway = false;
  reads = 0;
  historyNow = 'first';

  appear(...ids: number[]): void {
    for (const id of ids) this.rows.set(id, { id, at: now, domain_id: 0, suffixes: `link-${id}` });
  }

  #sorted(): LinkChange[] {
    this.reads += 1;
    if (this.isAway) throw new Error('away');
    return [...this.rows.values()].sort((one, other) => one.id - other.id);
  }

  readonly history = async () => this.historyNow;
  readonly newest = async () => this.#sorted().at(-1) ?? null;
  readonly from = async (id: number, max: number) =>
    this.#sorted()
      .filter((row) => row.id >= id)
      .slice(0, max);
  readonly missing = async (after: number) =>
    this.#sorted()
      .filter(({ id }) => id > after)
      .map(({ id }, index, all) => ({ first: (all[index - 1]?.id ?? after) + 1, last: id - 1 }))
      .filter(({ first, last }) => first <= last);
  readonly within = async (ranges: readonly IdRange[], max: number) =>
    this.#sorted()
      .filter(({ id }) => ranges.some(({ first, last }) => first <= id && id <= last))
      .slice(0, max);
}

let feed: Feed;
let now: number;
let seen: number[];
let lost: string[];
let failures: number;
let onChange: (id: number) => void;
let follower: ChangeFollower;

beforeEach(() => {
  feed = new Feed();
  now = 1_900_000_000_000;
  seen = [];
  lost = [];
  failures = 0;
  onChange = () => {};
  follower = new ChangeFollower(
    feed,
    {
      changed: ({ id }) => {
        seen.push(id);
        onChange(id);
      },
      lost: (reason) => {
        lost.push(reason);
      },
      failed: () => {
        failures += 1;
      },
    },
    () => now,
  );
});

/** Begins to follow; the test looks by itself from then on. */
async function begin(): Promise<void> {
  await follower.start(24 * hour);
  await follower.stop();
}

const poll = async (): Promise<number[]> => {
  seen = [];
  await follower.poll();
  return seen;
};

describe('following the feed', () => {
  test('every change is told once, in order', async () => {
    await begin();
    feed.appear(1, 2);
    expect(await poll()).toEqual([1, 2]);
    feed.appear(3);
    expect(await poll()).toEqual([3]);
    expect(await poll()).toEqual([]);
  });

  test('more changes than one look takes are all told by that look', async () => {
    await begin();
    feed.appear(...Array.from({ length: 12_345 }, (_, index) => index + 1));
    expect(await poll()).toHaveLength(12_345);
  });

  test('what was there when it began is not told', async () => {
    feed.appear(...Array.from({ length: 6_000 }, (_, index) => index + 1));
    await begin();
    expect(await poll()).toEqual([]);
    feed.appear(6_001);
    expect(await poll()).toEqual([6_001]);
  });

  test('it looks by itself until it is stopped', async () => {
    await follower.start(1);
    const told = new Promise((resolve) => {
      onChange = resolve;
    });
    feed.appear(1);
    await told;
    await follower.stop();
    expect(seen).toEqual([1]);
  });
});

describe('a change that appears behind a newer one, because its transaction took longer', () => {
  test('is told when it appears', async () => {
    feed.appear(1);
    await begin();
    feed.appear(4);
    expect(await poll()).toEqual([4]);
    feed.appear(2);
    expect(await poll()).toEqual([2]);
    now += 10 * second;
    feed.appear(3, 5);
    expect(await poll()).toEqual([3, 5]);
    expect(await poll()).toEqual([]);
  });

  test('is told also when many hundred are missing', async () => {
    await begin();
    feed.appear(900);
    await poll();
    feed.appear(...Array.from({ length: 899 }, (_, index) => index + 1));
    expect((await poll()).toSorted((one, other) => one - other)).toEqual(
      Array.from({ length: 899 }, (_, index) => index + 1),
    );
  });

  test('is told also when it was under way before the following began', async () => {
    feed.appear(1, 2, 4);
    await begin();
    feed.appear(3);
    expect(await poll()).toEqual([3]);
  });

  test('is told also hours later: sessions are given ids in blocks, and use them when they have something to say', async () => {
    feed.appear(1);
    await begin();
    feed.appear(51, 101);
    expect(await poll()).toEqual([51, 101]);
    for (const id of [2, 60, 3, 99]) {
      now += 5 * hour;
      feed.appear(id);
      expect(await poll()).toEqual([id]);
    }
    expect(await poll()).toEqual([]);
  });

  test('is told also when thousands of them appear at once', async () => {
    await begin();
    feed.appear(9_000);
    await poll();
    const late = Array.from({ length: 8_999 }, (_, index) => index + 1);
    feed.appear(...late);
    expect(await poll()).toEqual(late);
  });

  test('is waited for with a look every two seconds, and given up after a day', async () => {
    feed.appear(1);
    await begin();
    feed.appear(3);
    await poll();
    now += 31 * second;
    await poll();
    const { reads } = feed;
    now += second;
    await poll();
    expect(feed.reads - reads).toBe(1);
    now += second;
    await poll();
    expect(feed.reads - reads).toBe(3);
    now += 12 * hour;
    await poll();
    now += 12 * hour;
    feed.appear(2);
    expect(await poll()).toEqual([]);
  });
});

describe('a store that has gone back', () => {
  test('is told from one that went on, and what comes then is told', async () => {
    feed.appear(...Array.from({ length: 221 }, (_, index) => index + 1));
    await begin();
    for (let id = 21; id <= 221; id++) feed.rows.delete(id);
    expect(await poll()).toEqual([]);
    expect(lost).toEqual(['change_gone']);
    feed.appear(21);
    expect(await poll()).toEqual([21]);
    expect(lost).toHaveLength(1);
  });

  test('is also told when its ids have caught up in between', async () => {
    feed.appear(1, 2, 3);
    await begin();
    now += second;
    feed.appear(2, 3, 4, 5);
    expect(await poll()).toEqual([]);
    expect(lost).toEqual(['change_gone']);
  });

  test('is also told when it has the same changes and the database says that it is another one', async () => {
    feed.appear(1, 2, 3);
    await begin();
    feed.historyNow = 'promoted';
    feed.appear(4);
    expect(await poll()).toEqual([]);
    expect(lost).toEqual(['other_history']);
    expect(await poll()).toEqual([]);
    expect(lost).toHaveLength(1);
  });

  test('is also told when it has no changes at all, and begins again with the first', async () => {
    feed.appear(1, 2, 3);
    await begin();
    feed.rows.clear();
    await poll();
    expect(lost).toEqual(['change_gone']);
    feed.appear(1);
    expect(await poll()).toEqual([1]);
    expect(lost).toHaveLength(1);
  });

  test('is also told by a change that had appeared after one with a higher id', async () => {
    feed.appear(1, 2, 3);
    await begin();
    feed.appear(5);
    await poll();
    feed.appear(4);
    expect(await poll()).toEqual([4]);
    feed.rows.delete(4);
    await poll();
    expect(lost).toEqual(['change_gone']);
    feed.appear(6, 7);
    expect(await poll()).toEqual([6, 7]);
    feed.rows.delete(6);
    await poll();
    expect(lost).toHaveLength(2);
  });

  test('is not told when a change is deleted for its age', async () => {
    feed.appear(1);
    await begin();
    feed.appear(2, 3);
    for (let hours = 0; hours < 24; hours++) {
      await poll();
      now += hour;
    }
    feed.rows.delete(2);
    await poll();
    expect(lost).toEqual([]);
  });

  test('is told again when it was away before the caches could be cleared', async () => {
    feed.appear(1, 2, 3);
    await begin();
    feed.isAway = true;
    feed.historyNow = 'promoted';
    await poll();
    expect(lost).toEqual([]);
    feed.isAway = false;
    await poll();
    expect(lost).toEqual(['other_history']);
  });
});

describe('when the feed can not be read', () => {
  test('nothing is missed once it is back, and it is said once', async () => {
    await begin();
    feed.isAway = true;
    feed.appear(1, 2);
    for (let look = 0; look < 100; look++) expect(await poll()).toEqual([]);
    expect(failures).toBe(1);
    feed.isAway = false;
    expect(await poll()).toEqual([1, 2]);
    expect(lost).toEqual([]);
    feed.isAway = true;
    await poll();
    expect(failures).toBe(2);
  });

  test('for hours, changes are still told one by one', async () => {
    await begin();
    feed.isAway = true;
    await poll();
    now += 22 * hour;
    feed.isAway = false;
    feed.appear(1);
    expect(await poll()).toEqual([1]);
    expect(lost).toEqual([]);
  });

  test('for a day, everything known is given up, because the feed keeps no more than that', async () => {
    feed.appear(1, 2);
    await begin();
    feed.isAway = true;
    now += 25 * hour;
    await poll();
    expect(lost).toEqual([]);
    feed.rows.clear();
    feed.appear(5_000);
    feed.isAway = false;
    await poll();
    expect(lost).toEqual(['absence']);
    feed.appear(5_001);
    expect(await poll()).toEqual([5_001]);
    expect(lost).toEqual(['absence']);
  });
});
