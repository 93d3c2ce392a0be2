import { expect, test } from 'bun:test';
import { processorTime } from '../../test/support/scaled-to-load.ts';
import { suffixOf } from './path-suffix.ts';

test('a suffix is found in either form of Unicode, with many marks too', () => {
  for (const suffix of ['caf\u00e9', 'ǟ', 'x\u0316\u0300', `x${'\u0316'.repeat(254)}`])
    for (const form of ['NFC', 'NFD'])
      expect(suffixOf(`/${encodeURIComponent(suffix.normalize(form))}`)).toBe(suffix.normalize('NFC'));
});

test('a path full of marks takes no longer than one full of letters', () => {
  const timeFor = (character: string) => {
    const path = `/a${encodeURIComponent(character.repeat(1_330))}`;
    const start = processorTime();
    for (let round = 0; round < 20; round++) expect(suffixOf(path)).toBeNull();
    return processorTime() - start;
  };
  // Normalising sorts marks of two classes, in a time quadratic in their number: ten milliseconds for each path.
  expect(timeFor('\u0316\u0300')).toBeLessThan(20 + 5 * timeFor('é'));
});
