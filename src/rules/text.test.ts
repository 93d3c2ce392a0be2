import { expect, test } from 'bun:test';
import { scaledToLoad } from '../../test/support/scaled-to-load.ts';
import { foldCase } from './text.ts';

test('texts that look the same are compared as the same', () => {
  expect(foldCase('ＣＡＦＥ\u0301 ﬁ')).toBe('café fi');
  const marks = '\u0301\u0316'.repeat(50);
  expect(foldCase(`A${marks}`)).toBe(`A${marks}`.normalize('NFKC').toLowerCase());
});

test.each(['\u0301\u0316', '\u0301\uff9e\u0316\uff9f'])('thousands of %j take little time', (marks) => {
  const text = `A${marks.repeat(20_000)}`;
  const began = performance.now();
  expect(foldCase(text)).toStartWith('a');
  expect(foldCase(`${'\u0301\u0316'.repeat(50)}x`.repeat(200))).toEndWith('x');
  expect(performance.now() - began).toBeLessThan(scaledToLoad(100));
});
