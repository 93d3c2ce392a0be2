import { expect, test } from 'bun:test';
import { DueTask } from './due-task.ts';

/** How often a task has woken its worker before another one, set last, does. */
async function wakes(remind: (task: DueTask) => void): Promise<number> {
  let count = 0;
  const task = new DueTask(() => count++, 1);
  remind(task);
  await new Promise<void>((resolve) => new DueTask(resolve, 20).later());
  return count;
}

test('something requested several times is due once', async () => {
  for (const name of ['later', 'laterAnew'] as const)
    expect(
      await wakes((task) => {
        for (let time = 0; time < 3; time++) task[name]();
      }),
    ).toBe(1);
});

test('it is due until it is done, and never after being stopped', async () => {
  const [first, second] = [new DueTask(() => {}, 1), new DueTask(() => {}, 1, true)];
  first.now();
  expect([first.isDue, second.isDue]).toEqual([true, true]);
  first.done();
  expect(first.isDue).toBe(false);
  const stopped = (task: DueTask) => {
    task.later();
    task.stop();
    task.later();
    task.laterAnew();
  };
  expect(await wakes(stopped)).toBe(0);
});
