import { expect, test } from 'bun:test';
import { tickClock } from './tick-clock.ts';

test('a clock is read once in a tick, and again in the next one that asks for it', () => {
  let time = 1_000;
  const tasks: (() => void)[] = [];
  const endTick = () => {
    for (const task of tasks.splice(0)) task();
  };
  const now = tickClock(
    () => time,
    (task) => tasks.push(task),
  );
  expect(now()).toBe(1_000);
  time = 1_001;
  expect([now(), now()]).toEqual([1_000, 1_000]);
  expect(tasks).toHaveLength(1);
  endTick();
  time = 1_002;
  expect([now(), now()]).toEqual([1_002, 1_002]);
  endTick();
  endTick();
  expect(now()).toBe(1_002);
});
