import { beforeEach, describe, expect, test } from 'bun:test';
import type { LinkChange } from '../storage/changes.ts';
import { ChangeFollower } from './follow-changes.ts';

const second = 1_000;
const hour = 3_600 * second;

/** A feed in which the test decides when a change appears. */
class Feed {
  readonly rows = new Map<number, LinkChange>();
  isAway = false;
  reads = 0;

  appear(...ids: number[]): void {
    for (const id of ids) this.rows.set(id, { id, domain_id: 0, suffixes: `link-${id}` });
  }

  #sorted(): LinkChange[] {
    this.reads += 1;
    if (this.isAway) throw new Error('away');
    return [...this.rows.values()].sort((one, other) => one.id - other.id);
  }

  readonly newest = async () => this.#sorted().at(-1)?.id ?? 0;
  readonly after = async (id: number, max: number) =>
    this.#sorted()
      .filter((row) => row.id > id)
      .slice(0, max);
  readonly among = async (ids: readonly number[]) => this.#sorted().filter((row) => ids.includes(row.id));
}

let feed: Feed;
let now: number;
let seen: number[];
let lost: number;
let failures: number;
let onChange: (id: number) => void;
let follower: ChangeFollower;

beforeEach(() => {
  feed = new Feed();
  now = 1_900_000_000_000;
  seen = [];
  lost = 0;
  failures = 0;
  onChange = () => {};
  follower = new ChangeFollower(
    feed,
    {
      changed: ({ id }) => {
        seen.push(id);
        onChange(id);
      },
      lost: () => {
        lost += 1;
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

  test('is no longer waited for after half a minute: that id was never used', async () => {
    feed.appear(1);
    await begin();
    feed.appear(3);
    await poll();
    now += 31 * second;
    await poll();
    const { reads } = feed;
    await poll();
    expect(feed.reads - reads).toBe(1);
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
    expect(lost).toBe(0);
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
    expect(lost).toBe(0);
  });

  test('for a day, everything known is given up, because the feed keeps no more than that', async () => {
    feed.appear(1, 2);
    await begin();
    feed.isAway = true;
    now += 25 * hour;
    await poll();
    expect(lost).toBe(0);
    feed.rows.clear();
    feed.appear(5_000);
    feed.isAway = false;
    await poll();
    expect(lost).toBe(1);
    feed.appear(5_001);
    expect(await poll()).toEqual([5_001]);
    expect(lost).toBe(1);
  });
});
