import { expect, test } from 'bun:test';
import { shareSentence, wilsonInterval } from './split-share.ts';

test('a share is shown with the confidence interval of its true value', () => {
  expect(shareSentence(845, 1_204)).toBe(
    '70.2\u00a0% of 1,204 visitors, likely between 67.5 and 72.7\u00a0%',
  );
  expect(shareSentence(1, 1)).toBe('100.0\u00a0% of 1 visitor, likely between 20.7 and 100.0\u00a0%');
});

test('an interval stays within 0 to 1, contains the share, and narrows with more visitors', () => {
  let before = 1;
  for (const whole of [1, 2, 10, 100, 10_000]) {
    for (const part of [0, Math.floor(whole / 3), whole]) {
      const [low, high] = wilsonInterval(part, whole);
      expect(low).toBeGreaterThanOrEqual(0);
      expect(high).toBeLessThanOrEqual(1);
      expect(part / whole).toBeGreaterThanOrEqual(low - 1e-12);
      expect(part / whole).toBeLessThanOrEqual(high + 1e-12);
    }
    const [low, high] = wilsonInterval(0, whole);
    expect(high - low).toBeLessThan(before);
    before = high - low;
  }
});
