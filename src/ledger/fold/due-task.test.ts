import { expect, test } from 'bun:test';
import { DueTask } from './due-task.ts';

/** How often a task calls back before another task calls back that was scheduled after it. */
async function wakeUps(schedule: (task: DueTask) => void): Promise<number> {
  let count = 0;
  const task = new DueTask(() => count++, 1);
  schedule(task);
  await new Promise<void>((resolve) => new DueTask(resolve, 20).later());
  return count;
}

test('a task requested several times is due once', async () => {
  for (const name of ['later', 'postpone'] as const)
    expect(
      await wakeUps((task) => {
        for (let request = 0; request < 3; request++) task[name]();
      }),
    ).toBe(1);
});

test('a task is due until it is done, and never after being stopped', async () => {
  const [first, second] = [new DueTask(() => {}, 1), new DueTask(() => {}, 1, true)];
  first.now();
  expect([first.isDue, second.isDue]).toEqual([true, true]);
  first.done();
  expect(first.isDue).toBe(false);
  const stopped = (task: DueTask) => {
    task.later();
    task.stop();
    task.later();
    task.postpone();
  };
  expect(await wakeUps(stopped)).toBe(0);
});
