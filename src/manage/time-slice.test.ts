import { expect, test } from 'bun:test';
import { TimeSlice } from './time-slice.ts';

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
