import { expect, test } from 'bun:test';
import { TimeSlice } from './time-slice.ts';

/** Keeps the thread busy. */
function work(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

test('long work yields repeatedly', async () => {
  let othersTurns = 0;
  const others = setInterval(() => othersTurns++, 0);
  const timeSlice = new TimeSlice();
  let pauses = 0;
  for (let thing = 0; thing < 100; thing++) {
    if (timeSlice.isOver) {
      await timeSlice.pause();
      pauses++;
    }
    work(0.5);
  }
  clearInterval(others);
  expect(pauses).toBeGreaterThanOrEqual(10);
  expect(othersTurns).toBeGreaterThanOrEqual(10);
});
