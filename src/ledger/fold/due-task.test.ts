import { expect, test } from 'bun:test';
import { DueTask } from './due-task.ts';

const taskOf = (delay: number, wake = () => {}, work = async () => {}) => new DueTask({ work, wake, delay });

/** How often a task calls back before another task calls back that was scheduled after it. */
async function wakeUps(schedule: (task: DueTask) => void): Promise<number> {
  let count = 0;
  schedule(taskOf(1, () => count++));
  await new Promise<void>((resolve) => taskOf(20, resolve).later());
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

test('a task may be due from the beginning', () => {
  const parts = { work: async () => {}, wake: () => {}, delay: 1 };
  expect(new DueTask({ ...parts, isDue: true }).isDue).toBe(true);
  expect(new DueTask(parts).isDue).toBe(false);
});

test('a task is due once, and again after the delay if it fails', async () => {
  const woken = Promise.withResolvers<void>();
  let fails = true;
  const task = taskOf(1, woken.resolve, async () => {
    if (fails) throw new Error('away');
  });
  task.now();
  await expect(task.doIfDue()).rejects.toThrow('away');
  expect(task.isDue).toBe(false);
  await woken.promise;
  expect(task.isDue).toBe(true);
  fails = false;
  await task.doIfDue();
  expect(task.isDue).toBe(false);
});

test('a task is never due after being stopped', async () => {
  const stopped = (task: DueTask) => {
    task.later();
    task.stop();
    task.later();
    task.postpone();
  };
  expect(await wakeUps(stopped)).toBe(0);
});
