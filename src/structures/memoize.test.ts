import { expect, test } from 'bun:test';
import { memoize } from './memoize.ts';

test('a result is cached for a limited number of keys and characters', () => {
  let computed = 0;
  const twice = memoize(100, (text) => {
    computed += 1;
    return text + text;
  });
  for (let round = 0; round < 3; round++)
    for (let key = 0; key < 50; key++) expect(twice(`${key}`)).toBe(`${key}${key}`);
  expect(computed).toBe(50);
  for (let key = 0; key < 1_000; key++) twice(`more ${key}`);
  expect(twice('7')).toBe('77');
  expect(computed).toBe(1_051);
  const longText = 'x'.repeat(2_000);
  expect([twice(longText), twice(longText)]).toEqual([longText + longText, longText + longText]);
  expect(computed).toBe(1_053);
});
