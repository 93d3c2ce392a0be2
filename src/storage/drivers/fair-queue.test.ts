import { expect, test } from 'bun:test';
import { FairQueue } from './fair-queue.ts';

const filled = (maxTurnsOfKey: number, items: Record<number, string[]>) => {
  const queue = new FairQueue<string>(maxTurnsOfKey);
  for (const [key, some] of Object.entries(items)) for (const item of some) queue.add(Number(key), item);
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

test('keys take turns, however much one of them waits for', () => {
  const queue = filled(2, { 1: ['a1', 'a2', 'a3', 'a4'], 2: ['b1'], 3: ['c1', 'c2'] });
  expect(takeAll(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3', 'a4']);
  expect(queue.size).toBe(0);
});

test('a key has at most so many turns at a time', () => {
  const queue = filled(2, { 1: ['a1', 'a2', 'a3'], 2: ['b1'] });
  const taken = () => queue.take()?.items[0];
  expect([taken(), taken(), taken(), taken()]).toEqual(['a1', 'b1', 'a2', undefined]);
  queue.done(1);
  expect(taken()).toBe('a3');
});

test('some turns are for keys that have none', () => {
  const queue = filled(2, { 1: ['a1', 'a2'] });
  queue.take();
  expect(queue.has({ newcomersOnly: true })).toBe(false);
  expect(queue.take({ newcomersOnly: true })).toBeUndefined();
  queue.add(2, 'b1');
  expect(queue.take({ newcomersOnly: true })?.items).toEqual(['b1']);
});

test('what is put back comes first, what is removed never, and what is not accepted waits', () => {
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

test('several items of one key share a turn', () => {
  const queue = filled(1, { 1: ['a1', 'a2', 'a3', 'a4'], 2: ['b1'] });
  const half = { count: (waiting: number) => Math.floor(waiting / 2) };
  expect(queue.take(half)?.items).toEqual(['a1', 'a2']);
  expect(queue.take(half)?.items).toEqual(['b1']);
  expect([queue.size, queue.sizeOf(1)]).toEqual([2, 2]);
});
