import { expect, test } from 'bun:test';
import { FairQueue } from './fair-queue.ts';

const filled = (maxTurnsOfKey: number, items: Record<number, string[]>) => {
  const queue = new FairQueue<string>(maxTurnsOfKey);
  for (const [key, itemsOfKey] of Object.entries(items))
    for (const item of itemsOfKey) queue.add(Number(key), item);
  return queue;
};
const takeAll = (queue: FairQueue<string>, options = {}) => {
  const taken: string[] = [];
  for (let turn = queue.take(options); turn; turn = queue.take(options)) {
    taken.push(...turn.items);
    queue.done(turn.key);
  }
  return taken;
};

test('keys take turns, however many items one of them has', () => {
  const queue = filled(2, { 1: ['a1', 'a2', 'a3', 'a4'], 2: ['b1'], 3: ['c1', 'c2'] });
  expect(takeAll(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3', 'a4']);
  expect(queue.has({})).toBe(false);
});

test('a key has a limited number of items running', () => {
  const queue = filled(2, { 1: ['a1', 'a2', 'a3'], 2: ['b1'] });
  const taken = () => queue.take()?.items[0];
  expect([taken(), taken(), taken(), taken()]).toEqual(['a1', 'b1', 'a2', undefined]);
  queue.done(1);
  expect(taken()).toBe('a3');
});

test('some slots are reserved for keys with none running', () => {
  const queue = filled(2, { 1: ['a1', 'a2'] });
  queue.take();
  expect(queue.has({ newKeysOnly: true })).toBe(false);
  expect(queue.take({ newKeysOnly: true })).toBeUndefined();
  queue.add(2, 'b1');
  expect(queue.take({ newKeysOnly: true })?.items).toEqual(['b1']);
});

test('a returned item comes first, a removed one never, and a refused one waits', () => {
  const queue = filled(1, { 1: ['a1', 'a2', 'a3'], 2: ['b1'] });
  const [first] = queue.take()?.items ?? [];
  queue.done(1);
  queue.putBack(1, first ?? '');
  queue.remove(1, 'a2');
  queue.remove(1, 'never there');
  expect(queue.take({ accepts: (item: string) => item !== 'a1' })?.items).toEqual(['b1']);
  queue.done(2);
  expect(takeAll(queue)).toEqual(['a1', 'a3']);
});

test('several items of one key share a slot', () => {
  const queue = filled(1, { 1: ['a1', 'a2', 'a3', 'a4'], 2: ['b1'] });
  const half = { count: (waiting: number) => Math.floor(waiting / 2) };
  expect(queue.take(half)?.items).toEqual(['a1', 'a2']);
  expect(queue.take(half)?.items).toEqual(['b1']);
  queue.done(1);
  expect(takeAll(queue)).toEqual(['a3', 'a4']);
});

test('a queue is full for a key with too many items, and for all when it reaches its limit', () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => String(index));
  const queue = filled(1, { 1: many(999) });
  expect(queue.isFullFor(1)).toBe(false);
  queue.add(1, 'the last one');
  expect([queue.isFullFor(1), queue.isFullFor(2)]).toEqual([true, false]);
  queue.take({ count: () => 10 });
  expect(queue.isFullFor(1)).toBe(false);
  for (const key of [2, 3, 4, 5, 6]) for (const item of many(802)) queue.add(key, item);
  expect(queue.isFullFor(7)).toBe(true);
});

test('the longest queue loses its last item to a key with fewer', () => {
  const queue = filled(1, { 1: ['a1', 'a2', 'a3'], 2: ['b1', 'b2'] });
  expect([queue.removeFromLongest(2), queue.removeFromLongest(3)]).toEqual([undefined, 'a3']);
  expect([queue.size, takeAll(queue)]).toEqual([4, ['a1', 'b1', 'a2', 'b2']]);
});
