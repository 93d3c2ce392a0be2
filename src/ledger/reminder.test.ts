import { expect, test } from 'bun:test';
import { Reminder } from './reminder.ts';

/** How often a reminder has called back by the time that another one, set last, does. */
async function wakes(remind: (reminder: Reminder) => void): Promise<number> {
  let count = 0;
  const reminder = new Reminder(() => count++, 1);
  remind(reminder);
  await new Promise<void>((resolve) => new Reminder(resolve, 20).later());
  return count;
}

test('something requested several times is due once', async () => {
  for (const name of ['later', 'laterAnew'] as const)
    expect(
      await wakes((reminder) => {
        for (let time = 0; time < 3; time++) reminder[name]();
      }),
    ).toBe(1);
});

test('it is due until it is done, and never after being stopped', async () => {
  const [first, second] = [new Reminder(() => {}, 1), new Reminder(() => {}, 1, true)];
  first.now();
  expect([first.isDue, second.isDue]).toEqual([true, true]);
  first.done();
  expect(first.isDue).toBe(false);
  const stopped = (reminder: Reminder) => {
    reminder.later();
    reminder.stop();
    reminder.later();
    reminder.laterAnew();
  };
  expect(await wakes(stopped)).toBe(0);
});
