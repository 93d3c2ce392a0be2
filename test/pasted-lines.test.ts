import { describe, expect, test } from 'bun:test';
import {
  destinationsIn,
  looksLikeAddress,
  withoutSent,
  withRefused,
} from '../src/dashboard/pages/links/destinations.ts';

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

describe('sent lines', () => {
  test('go, and those that were added stay', () => {
    expect(withoutSent('https://a.example\nhttps://b.example', 'https://a.example\nhttps://b.example')).toBe(
      '',
    );
    expect(withoutSent('https://a.example\nhttps://b.example', 'https://a.example')).toBe(
      'https://b.example',
    );
    expect(withoutSent('https://a.example\nhttps://b.ex', 'https://a.example\n')).toBe('https://b.ex');
  });

  test('stay if they were changed', () => {
    expect(withoutSent('https://a.example/more', 'https://a.example')).toBe('https://a.example/more');
    expect(withoutSent('https://b.example', 'https://a.example')).toBe('https://b.example');
  });
});

describe('refused lines', () => {
  test('come before what was typed meanwhile', () => {
    expect(withRefused('https://next.example', ['bad one', 'bad two'])).toBe(
      'bad one\nbad two\nhttps://next.example',
    );
    expect(withRefused('', ['bad one', 'bad two'])).toBe('bad one\nbad two');
    expect(withRefused('half a li', [])).toBe('half a li');
  });

  test('are not repeated if they are still there', () => {
    expect(withRefused('bad one\n', ['bad one', 'bad two'])).toBe('bad two\nbad one\n');
  });
});
