import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { parseDestination } from './destination.ts';

const href = (text: string, schemes: string[] = []): string | null => {
  const parsed = parseDestination(text, 'destination_url', schemes);
  return parsed.ok ? parsed.url.href : null;
};

describe('a destination', () => {
  test.each([
    ['example.com', 'https://example.com/'],
    [' example.com/a b ', 'https://example.com/a%20b'],
    ['//example.com/x', 'https://example.com/x'],
    ['example.com:8080/x', 'https://example.com:8080/x'],
    ['localhost:3000/x', 'https://localhost:3000/x'],
    ['HTTP://EXAMPLE.com/Ü', 'http://example.com/%C3%9C'],
    ['https://пример.рф', 'https://xn--e1afmkfd.xn--p1ai/'],
    ['https://intranet/x', 'https://intranet/x'],
    ['https://example.com./x', 'https://example.com./x'],
  ])('%s is read as %s', (given, read) => expect(href(given)).toBe(read));

  const refused = [
    'hello',
    '',
    'https://',
    'https://./',
    'https://../',
    'https://a..b/',
    'http://u@example.com',
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https://example.com/x',
    'tel:123456',
    'mailto:a@example.com',
    'https://example.com/\u0000',
    'https://exa mple.com',
    'https://example.com:99999/',
  ];
  for (const given of refused)
    test(`${JSON.stringify(given)} is refused`, () => expect(href(given)).toBeNull());

  test("an app's own scheme is taken where the operator allows it, and only that one", () => {
    expect(href('myapp://open/x', ['myapp'])).toBe('myapp://open/x');
    expect(href('other://open/x', ['myapp'])).toBeNull();
  });

  test('of 100,000 generated texts, whatever is taken is a Location that no visitor can be hurt by', () => {
    const piece = fc.constantFrom(
      'http',
      'https',
      'javascript',
      'data',
      ':',
      '//',
      '/',
      '\\',
      '@',
      '\r\n',
      '\t',
      '\u0000',
      '%0d%0a',
      'example.com',
      '127.0.0.1',
      '?',
      '#',
      'ü',
      '🦊',
      '\ud800',
      ' ',
      '.',
      '[::1]',
      ':80',
    );
    const text = fc.oneof(
      fc.array(piece, { maxLength: 8 }).map((parts) => parts.join('')),
      fc.webUrl(),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(text, (given) => {
        const read = href(given);
        if (read === null) return;
        expect(read).toMatch(/^https?:\/\/[^/?#]+\/[\x21-\x7e]*$/);
        expect(new URL(read)).toMatchObject({ username: '', password: '' });
        expect(href(read)).toBe(read);
        new Response(null, { status: 302, headers: { location: read } });
      }),
      { numRuns: 100_000 },
    );
  });
});
