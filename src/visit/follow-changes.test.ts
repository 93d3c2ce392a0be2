import { beforeEach, describe, expect, test } from 'bun:test';
import { dayLength, hourLength, secondLength } from '../rules/durations.ts';
import type { LinkChange } from '../storage/changes.ts';
import { ChangeFollower } from './follow-changes.ts';
import type { IdRange } from './id-gaps.ts';

/** A feed in which the test decides when a change appears. */
class Feed {
  readonly rows = new Map<number, LinkChange>();
  isUnavailable = false;
  reads = 0;
  timelineNow = 'first';
  startedNow = 'at one';

  appear(...ids: number[]): void {
    for (const id of ids) this.rows.set(id, { id, at: now, domain_id: 0, suffixes: `link-${id}` });
  }

  #sorted(): LinkChange[] {
    this.reads += 1;
    if (this.isUnavailable) throw new Error('away');
    return [...this.rows.values()].sort((one, other) => one.id - other.id);
  }

  readonly timeline = async () => ({ timeline: this.timelineNow, started: this.startedNow });
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
let polls: string[];
let onChange: (id: number) => void;
let follower: ChangeFollower;

beforeEach(() => {
  feed = new Feed();
  now = 1_900_000_000_000;
  seen = [];
  lost = [];
  failures = 0;
  polls = [];
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
      pollBegins: () => {
        polls.push('begins');
      },
      pollSucceeded: (wasUnavailable) => {
        polls.push(wasUnavailable ? 'returned' : 'succeeded');
      },
      failed: () => {
        failures += 1;
      },
    },
    () => now,
  );
});

/** Starts following, and stops the automatic polls: the test polls instead. */
async function begin(): Promise<void> {
  await follower.start(dayLength);
  await follower.stop();
}

const poll = async (): Promise<number[]> => {
  seen = [];
  await follower.poll();
  return seen;
};

describe('following the change feed', () => {
  test('reports every change once, in order', async () => {
    await begin();
    feed.appear(1, 2);
    expect(await poll()).toEqual([1, 2]);
    feed.appear(3);
    expect(await poll()).toEqual([3]);
    expect(await poll()).toEqual([]);
  });

  test('reports more changes in one poll than a query returns', async () => {
    await begin();
    feed.appear(...Array.from({ length: 12_345 }, (_, index) => index + 1));
    expect(await poll()).toHaveLength(12_345);
  });

  test("doesn't report changes from before it began", async () => {
    feed.appear(...Array.from({ length: 6_000 }, (_, index) => index + 1));
    await begin();
    expect(await poll()).toEqual([]);
    feed.appear(6_001);
    expect(await poll()).toEqual([6_001]);
  });

  test('polls until it is stopped', async () => {
    await follower.start(1);
    const reported = new Promise((resolve) => {
      onChange = resolve;
    });
    feed.appear(1);
    await reported;
    await follower.stop();
    expect(seen).toEqual([1]);
  });
});

describe('a change that appears after a newer one, because its transaction took longer,', () => {
  test('is reported when it appears', async () => {
    feed.appear(1);
    await begin();
    feed.appear(4);
    expect(await poll()).toEqual([4]);
    feed.appear(2);
    expect(await poll()).toEqual([2]);
    now += 10 * secondLength;
    feed.appear(3, 5);
    expect(await poll()).toEqual([3, 5]);
    expect(await poll()).toEqual([]);
  });

  test('is reported even if many hundreds are missing', async () => {
    await begin();
    feed.appear(900);
    await poll();
    feed.appear(...Array.from({ length: 899 }, (_, index) => index + 1));
    expect((await poll()).toSorted((one, other) => one - other)).toEqual(
      Array.from({ length: 899 }, (_, index) => index + 1),
    );
  });

  test('is reported even if it was in progress before following began', async () => {
    feed.appear(1, 2, 4);
    await begin();
    feed.appear(3);
    expect(await poll()).toEqual([3]);
  });

  test('is reported even hours later: sessions get ids in blocks, and use them later', async () => {
    feed.appear(1);
    await begin();
    feed.appear(51, 101);
    expect(await poll()).toEqual([51, 101]);
    for (const id of [2, 60, 3, 99]) {
      now += 5 * hourLength;
      feed.appear(id);
      expect(await poll()).toEqual([id]);
    }
    expect(await poll()).toEqual([]);
  });

  test('is reported even if thousands of them appear at once', async () => {
    await begin();
    feed.appear(9_000);
    await poll();
    const late = Array.from({ length: 8_999 }, (_, index) => index + 1);
    feed.appear(...late);
    expect(await poll()).toEqual(late);
  });

  test('is queried every two seconds, and given up after a day', async () => {
    feed.appear(1);
    await begin();
    feed.appear(3);
    await poll();
    now += 31 * secondLength;
    await poll();
    const { reads } = feed;
    now += secondLength;
    await poll();
    expect(feed.reads - reads).toBe(1);
    now += secondLength;
    await poll();
    expect(feed.reads - reads).toBe(3);
    now += 12 * hourLength;
    await poll();
    now += 12 * hourLength;
    feed.appear(2);
    expect(await poll()).toEqual([]);
  });
});

describe('a store that has returned to an earlier state', () => {
  test('is detected, and later changes are reported', async () => {
    feed.appear(...Array.from({ length: 221 }, (_, index) => index + 1));
    await begin();
    for (let id = 21; id <= 221; id++) feed.rows.delete(id);
    expect(await poll()).toEqual([]);
    expect(lost).toEqual(['change_gone']);
    feed.appear(21);
    expect(await poll()).toEqual([21]);
    expect(lost).toHaveLength(1);
  });

  test('is detected even if its ids have caught up in between', async () => {
    feed.appear(1, 2, 3);
    await begin();
    now += secondLength;
    feed.appear(2, 3, 4, 5);
    expect(await poll()).toEqual([]);
    expect(lost).toEqual(['change_gone']);
  });

  test('is detected even if it has the same changes but the database has another identity', async () => {
    feed.appear(1, 2, 3);
    await begin();
    feed.timelineNow = 'promoted';
    feed.appear(4);
    expect(await poll()).toEqual([]);
    expect(lost).toEqual(['other_history']);
    expect(await poll()).toEqual([]);
    expect(lost).toHaveLength(1);
  });

  test('is detected even if it has no changes at all, and starts over with the first', async () => {
    feed.appear(1, 2, 3);
    await begin();
    feed.rows.clear();
    await poll();
    expect(lost).toEqual(['change_gone']);
    feed.appear(1);
    expect(await poll()).toEqual([1]);
    expect(lost).toHaveLength(1);
  });

  test('is detected even by a change that appeared after one with a higher id', async () => {
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

  test('is not reported when a change is deleted because of its age', async () => {
    feed.appear(1);
    await begin();
    feed.appear(2, 3);
    for (let hours = 0; hours < 24; hours++) {
      await poll();
      now += hourLength;
    }
    feed.rows.delete(2);
    await poll();
    expect(lost).toEqual([]);
  });

  test('is reported again if the store was away before the caches could be cleared', async () => {
    feed.appear(1, 2, 3);
    await begin();
    feed.isUnavailable = true;
    feed.timelineNow = 'promoted';
    await poll();
    expect(lost).toEqual([]);
    feed.isUnavailable = false;
    await poll();
    expect(lost).toEqual(['other_history']);
  });
});

describe("when the feed can't be read", () => {
  test('nothing is missed once it is back, and it is logged once', async () => {
    await begin();
    feed.isUnavailable = true;
    feed.appear(1, 2);
    for (let round = 0; round < 100; round++) expect(await poll()).toEqual([]);
    expect(failures).toBe(1);
    feed.isUnavailable = false;
    expect(await poll()).toEqual([1, 2]);
    expect(lost).toEqual([]);
    feed.isUnavailable = true;
    await poll();
    expect(failures).toBe(2);
  });

  test('the first poll that succeeds afterwards reports that, after the changes', async () => {
    await begin();
    await poll();
    feed.isUnavailable = true;
    await poll();
    await poll();
    feed.isUnavailable = false;
    feed.appear(1);
    onChange = () => polls.push('changed');
    await poll();
    await poll();
    expect(polls).toEqual([
      ...['begins', 'succeeded'],
      ...['begins', 'begins'],
      ...['begins', 'changed', 'returned'],
      ...['begins', 'succeeded'],
    ]);
  });

  test('between two polls because its server has restarted, the next poll reports that', async () => {
    await begin();
    feed.startedNow = 'at two';
    await poll();
    await poll();
    expect(polls).toEqual(['begins', 'returned', 'begins', 'succeeded']);
    expect(lost).toEqual([]);
  });

  test('for hours, changes are still reported one by one', async () => {
    await begin();
    feed.isUnavailable = true;
    await poll();
    now += 22 * hourLength;
    feed.isUnavailable = false;
    feed.appear(1);
    expect(await poll()).toEqual([1]);
    expect(lost).toEqual([]);
  });

  test('for a day, all caches are cleared, because the feed keeps no more than that', async () => {
    feed.appear(1, 2);
    await begin();
    feed.isUnavailable = true;
    now += 25 * hourLength;
    await poll();
    expect(lost).toEqual([]);
    feed.rows.clear();
    feed.appear(5_000);
    feed.isUnavailable = false;
    await poll();
    expect(lost).toEqual(['absence']);
    feed.appear(5_001);
    expect(await poll()).toEqual([5_001]);
    expect(lost).toEqual(['absence']);
  });
});
