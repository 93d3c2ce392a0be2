import { describe, expect, test } from 'bun:test';
import { destinationsIn, looksLikeAddress } from '../src/dashboard/pages/links/destinations.ts';

describe('pasted text', () => {
  test('is split into one address per line, without whitespace around it', () => {
    expect(destinationsIn('  https://a.example/x \r\n\n\thttps://b.example\n')).toEqual([
      'https://a.example/x',
      'https://b.example',
    ]);
    expect(destinationsIn(' \n ')).toEqual([]);
  });

  test.each([
    'https://example.com/a?b=c#d',
    'myapp://open/1',
    'example.com',
    'bücher.example/ü',
    'example.com:8080/x',
  ])('%p is an address', (text) => {
    expect(looksLikeAddress(text)).toBe(true);
  });

  test.each([
    'hello',
    'two words.example here',
    'somebody@example.com',
    '',
    'https://',
    'end of a sentence.',
  ])('%p is not an address', (text) => {
    expect(looksLikeAddress(text)).toBe(false);
  });
});
