import { expect, test } from 'bun:test';
import { entriesInOrder } from './parameters.ts';

test('parameters stay where they are shown, even if a name is a number', () => {
  const value = { utm_source: ['mail'], 2: ['x'], '': [] };
  expect(entriesInOrder(value, ['utm_source', '2', ''])).toEqual([
    ['utm_source', ['mail']],
    ['2', ['x']],
    ['', []],
  ]);
});

test('other parameters than those shown have their own order', () => {
  expect(entriesInOrder({ b: [], a: [] }, ['a', 'c'])).toEqual([
    ['b', []],
    ['a', []],
  ]);
  expect(entriesInOrder({ b: [], a: [] }, ['a'])).toHaveLength(2);
});
