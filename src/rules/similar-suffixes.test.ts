import { expect, test } from 'bun:test';
import { similarSuffixes } from './similar-suffixes.ts';

test('the intended suffix is among those looked up', () => {
  const typos = [
    ['sumer-sale', 'summer-sale'],
    ['summerr-sale', 'summer-sale'],
    ['sumemr-sale', 'summer-sale'],
    ['summersale', 'summer-sale'],
    ['summer_sale', 'summer-sale'],
    ['Summer-Sale', 'summer-sale'],
    ['Sumer-sale', 'summer-sale'],
    ['summer-sale.', 'summer-sale'],
    ['s1ide', 'slide'],
    ['r0om', 'room'],
    ['🎉🎉', '🎉'],
  ] as const;
  for (const [typed, intended] of typos)
    expect([typed, similarSuffixes(typed).includes(intended)]).toEqual([typed, true]);
});

test('few suffixes are looked up, never the typed one or an empty one', () => {
  for (const typed of ['a', '-', 'Ab', 'x'.repeat(40), '1l0o-_1l0o-_', 'x'.repeat(255)]) {
    const found = similarSuffixes(typed);
    expect(found.length).toBeLessThanOrEqual(8 * typed.length + 4);
    expect(found).not.toContain(typed);
    expect(found).not.toContain('');
  }
  expect(similarSuffixes('x'.repeat(41))).toEqual([]);
});
