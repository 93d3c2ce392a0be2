import { expect, test } from 'bun:test';
import { type ChangeGroup, ChangeQueue } from './change-queue.ts';

/** A queue whose batches end when the test says so. */
function queueOf(maxRunning: number) {
  const running: { readonly size: number; readonly end: () => void }[] = [];
  let begun: () => void = () => {};
  const commit = async (groups: readonly ChangeGroup[]) => {
    const made: (() => void)[] = [];
    for (const group of groups) made.push(await group.make({} as never));
    const { promise, resolve } = Promise.withResolvers<void>();
    const batch = {
      size: groups.reduce((sum, { changes }) => sum + changes.length, 0),
      end: () => {
        running.splice(running.indexOf(batch), 1);
        resolve();
      },
    };
    running.push(batch);
    begun();
    await promise;
    return made;
  };
  const queue = new ChangeQueue(commit, maxRunning);
  const work = async (_: unknown, items: readonly number[]) => [...items];
  return {
    running,
    add: (count: number) => Promise.all(Array.from({ length: count }, (_, item) => queue.add(item, work))),
    whenBegun: () =>
      new Promise<void>((resolve) => {
        begun = resolve;
      }),
    queue,
  };
}

test('a few callers share one batch at a time, even if two may run', async () => {
  const { running, add, whenBegun, queue } = queueOf(2);
  const [first, begun] = [add(1), whenBegun()];
  await begun;
  const [others, next] = [add(15), whenBegun()];
  running[0]?.end();
  expect(await first).toEqual([0]);
  await next;
  expect(running.map(({ size }) => size)).toEqual([8]);
  const last = whenBegun();
  running[0]?.end();
  await last;
  expect(running.map(({ size }) => size)).toEqual([7]);
  running[0]?.end();
  expect(await others).toHaveLength(15);
  await queue.whenIdle;
  expect(queue.isIdle).toBe(true);
});

test('the next batch is sent before the callers of the last one are answered', async () => {
  const { running, add, whenBegun, queue } = queueOf(1);
  const [first, begun] = [add(1), whenBegun()];
  await begun;
  const others = add(3);
  running[0]?.end();
  await first;
  expect(running.map(({ size }) => size)).toEqual([3]);
  running[0]?.end();
  await others;
  await queue.whenIdle;
});

test('others do not wait for a batch that is held up, and no more run than may', async () => {
  const { running, add, whenBegun, queue } = queueOf(2);
  const [first, begun] = [add(1), whenBegun()];
  await begun;
  const [second, next] = [add(3), whenBegun()];
  await next;
  expect(running.map(({ size }) => size)).toEqual([1, 3]);
  const [third, last] = [add(2), whenBegun()];
  running[1]?.end();
  expect(await second).toEqual([0, 1, 2]);
  await last;
  expect(running.map(({ size }) => size)).toEqual([1, 2]);
  for (const batch of [...running]) batch.end();
  await Promise.all([first, third]);
  await queue.whenIdle;
});

test('a second batch begins as soon as it is full', async () => {
  const { running, add, whenBegun, queue } = queueOf(2);
  const [first, begun] = [add(1), whenBegun()];
  await begun;
  const [many, next] = [add(64), whenBegun()];
  await next;
  expect(running.length).toBe(2);
  while (!queue.isIdle) {
    for (const batch of [...running]) batch.end();
    await Promise.race([queue.whenIdle, whenBegun()]);
  }
  expect((await Promise.all([first, many])).flat()).toHaveLength(65);
});
