import { expect, test } from 'bun:test';
import { nextFreeTick, TimeSlice } from './time-slice.ts';

/** Keeps the thread busy. */
function work(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

test('long work yields repeatedly', async () => {
  let timerRuns = 0;
  const timer = setInterval(() => timerRuns++, 0);
  const timeSlice = new TimeSlice();
  let pauses = 0;
  for (let step = 0; step < 100; step++) {
    if (timeSlice.isOver) {
      await timeSlice.pause();
      pauses++;
    }
    work(0.5);
  }
  clearInterval(timer);
  expect(pauses).toBeGreaterThanOrEqual(10);
  expect(timerRuns).toBeGreaterThanOrEqual(10);
});

test('callers that request work at the same time take turns, and other work runs in between', async () => {
  const order: string[] = [];
  const works = Array.from({ length: 3 }, async (_, index) => {
    await nextFreeTick();
    order.push(`work ${index}`);
    setImmediate(() => order.push(`others ${index}`));
  });
  await Promise.all(works);
  await new Promise((resolve) => setImmediate(resolve));
  expect(order).toEqual(['work 0', 'others 0', 'work 1', 'others 1', 'work 2', 'others 2']);
});
