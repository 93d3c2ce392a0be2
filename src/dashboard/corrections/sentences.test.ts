import { expect, test } from 'bun:test';
import { toBeErased } from './sentences.ts';

test.each([
  [0, 0, 'There are no hits to erase.'],
  [1, 1, '1 click goes.'],
  [1, 0, '1 hit goes, which is no click.'],
  [2, 0, '2 hits go, none of them a click.'],
  [2, 1, '2 hits go, 1 of them a click.'],
  [1_204, 1_203, '1,204 hits go, 1,203 of them clicks.'],
])('what is said before %i hits with %i clicks are erased', (hits, clicks, sentence) => {
  expect(toBeErased({ hits, clicks })).toBe(sentence);
});
