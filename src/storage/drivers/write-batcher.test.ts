import { expect, test } from 'bun:test';
import { type ChangeGroup, WriteBatcher } from './write-batcher.ts';

/** A batcher whose batches end when the test ends them. */
function batcherOf(maxRunning: number) {
  const running: { readonly size: number; readonly end: () => void }[] = [];
  let started: () => void = () => {};
  const commit = async (groups: readonly ChangeGroup[]) => {
    const results: (() => void)[] = [];
    for (const group of groups) results.push(await group.make({} as never));
    const { promise, resolve } = Promise.withResolvers<void>();
    const batch = {
      size: groups.reduce((sum, { changes }) => sum + changes.length, 0),
      end: () => {
        running.splice(running.indexOf(batch), 1);
        resolve();
      },
    };
    running.push(batch);
    started();
    await promise;
    return results;
  };
  const batcher = new WriteBatcher(commit, maxRunning);
  const work = async (_: unknown, items: readonly number[]) => [...items];
  return {
    running,
    add: (count: number) => Promise.all(Array.from({ length: count }, (_, item) => batcher.add(item, work))),
    whenStarted: () =>
      new Promise<void>((resolve) => {
        started = resolve;
      }),
    batcher,
  };
}

test('a few callers share one batch at a time, even if two may run', async () => {
  const { running, add, whenStarted, batcher } = batcherOf(2);
  const [first, started] = [add(1), whenStarted()];
  await started;
  const [others, next] = [add(15), whenStarted()];
  running[0]?.end();
  expect(await first).toEqual([0]);
  await next;
  expect(running.map(({ size }) => size)).toEqual([8]);
  const last = whenStarted();
  running[0]?.end();
  await last;
  expect(running.map(({ size }) => size)).toEqual([7]);
  running[0]?.end();
  expect(await others).toHaveLength(15);
  await batcher.whenIdle;
  expect(batcher.isIdle).toBe(true);
});

test('the next batch is sent before the callers of the last one are answered', async () => {
  const { running, add, whenStarted, batcher } = batcherOf(1);
  const [first, started] = [add(1), whenStarted()];
  await started;
  const others = add(3);
  running[0]?.end();
  await first;
  expect(running.map(({ size }) => size)).toEqual([3]);
  running[0]?.end();
  await others;
  await batcher.whenIdle;
});

test('callers do not wait for a batch that is delayed, and no more batches run than the limit', async () => {
  const { running, add, whenStarted, batcher } = batcherOf(2);
  const [first, started] = [add(1), whenStarted()];
  await started;
  const [second, next] = [add(3), whenStarted()];
  await next;
  expect(running.map(({ size }) => size)).toEqual([1, 3]);
  const [third, last] = [add(2), whenStarted()];
  running[1]?.end();
  expect(await second).toEqual([0, 1, 2]);
  await last;
  expect(running.map(({ size }) => size)).toEqual([1, 2]);
  for (const batch of [...running]) batch.end();
  await Promise.all([first, third]);
  await batcher.whenIdle;
});

test('a second batch begins as soon as it is full', async () => {
  const { running, add, whenStarted, batcher } = batcherOf(2);
  const [first, started] = [add(1), whenStarted()];
  await started;
  const [many, next] = [add(64), whenStarted()];
  await next;
  expect(running.length).toBe(2);
  while (!batcher.isIdle) {
    for (const batch of [...running]) batch.end();
    await Promise.race([batcher.whenIdle, whenStarted()]);
  }
  expect((await Promise.all([first, many])).flat()).toHaveLength(65);
});
