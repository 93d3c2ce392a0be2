import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { trimInvisible } from './invisible.ts';
import { tagList, tagNames } from './tag-list.ts';

test('names with a comma or a quote are in quotes', () => {
  expect(tagList(['red, green', 'blue', '5" disk'])).toBe('"red, green", blue, "5"" disk"');
});

test.each([
  ['red, green', ['red', 'green']],
  [' red ,,green, ', ['red', 'green']],
  ['"red, green" , blue', ['red, green', 'blue']],
  ['5" disk, "A" team', ['5" disk', '"A" team']],
  ['"open, red', ['"open', 'red']],
  ['red\u200b, "\ufeffgreen"', ['red', 'green']],
  ['"", "", \u200b', []],
  ['', []],
])('the list %j is read as %j', (list, names) => expect(tagNames(list)).toEqual(names));

test('any names are read back unchanged', () => {
  const name = fc
    .oneof(fc.string({ unit: 'binary' }), fc.string({ unit: fc.constantFrom('"', ',', ' ', "'", '\n', 'a') }))
    .map(trimInvisible)
    .filter((text) => text !== '');
  fc.assert(fc.property(fc.array(name), (names) => expect(tagNames(tagList(names))).toEqual(names)));
});
