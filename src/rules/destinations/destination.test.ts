import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { growth } from '../../../test/support/growth.ts';
import { Refusal } from '../errors.ts';
import { parseDestination } from './destination.ts';
import { asUri, isPlainUrl, locationOf } from './destination-text.ts';

const parsed = (text: string, schemes: string[] = []) => {
  try {
    return parseDestination(text, 'destination_url', schemes);
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    return cause;
  }
};
const read = (text: string, schemes?: string[]) => {
  const found = parsed(text, schemes);
  return found instanceof Refusal ? null : found;
};
const stored = (text: string, schemes?: string[]): string | null => read(text, schemes)?.text ?? null;
const messageFor = (text: string): string => {
  const found = parsed(text);
  return found instanceof Refusal ? found.sentence : `accepted as ${found.text}`;
};

describe('a destination', () => {
  test.each([
    ['example.com', 'https://example.com/'],
    [' example.com/a b ', 'https://example.com/a%20b'],
    ['//example.com/x', 'https://example.com/x'],
    ['example.com:8080/x', 'https://example.com:8080/x'],
    ['localhost:3000/x', 'https://localhost:3000/x'],
    ['HTTP://EXAMPLE.com/Ü', 'http://example.com/%C3%9C'],
    ['http:/example.com/x', 'http://example.com/x'],
    ['https:///example.com', 'https://example.com/'],
    ['https://ex%61mple.com/x', 'https://example.com/x'],
    ['https://example.com\\@evil.example/x', 'https://example.com/@evil.example/x'],
    ['https://example.com/a|b[1]?x=a|b^`"', 'https://example.com/a%7Cb%5B1%5D?x=a%7Cb%5E%60%22'],
    ['[::1]:8080/[x]', 'https://[::1]:8080/%5Bx%5D'],
    ['example.com/{id}', 'https://example.com/{id}'],
    ['https://example.com/ü/{id}?x={y}', 'https://example.com/%C3%BC/{id}?x={y}'],
    ['xn--e1afmkfd.xn--p1ai', 'https://xn--e1afmkfd.xn--p1ai/'],
    ['example.co.uk', 'https://example.co.uk/'],
    ['someone.github.io', 'https://someone.github.io/'],
    ['1.2.3.4:8080', 'https://1.2.3.4:8080/'],
    ['https://1.5/x', 'https://1.0.0.5/x'],
    ['wiki.corp/x', 'https://wiki.corp/x'],
    ['intranet/wiki', 'https://intranet/wiki'],
    ['http.cat/404', 'https://http.cat/404'],
    ['https://пример.рф', 'https://xn--e1afmkfd.xn--p1ai/'],
    ['https://intranet/x', 'https://intranet/x'],
    ['https://example.com./x', 'https://example.com./x'],
  ])('%s is read as %s', (input, text) => expect(stored(input)).toBe(text));

  test.each([
    'https://example.com',
    'https://example.com?x=1',
    'https://example.com#top',
    'HTTPS://Example.com/Path',
    'https://example.com:443/',
    'https://example.com/a/../b',
    'https://example.com/{country}/{id}?click={click_id}&n=%%RANDOM%%',
    "https://example.com/a;b=(1)!*'$&+,@~?q#x",
    'https://[2001:db8::1]/x',
    'https://203.0.113.7/x',
  ])('%s stays as it was sent', (input) => expect(stored(input)).toBe(input));

  test('a brace is stored as it was sent, and escaped for visitors', () => {
    const text = stored('https://example.com/{a}?b={c}') ?? '';
    expect(locationOf(text)).toBe('https://example.com/%7Ba%7D?b=%7Bc%7D');
  });

  test.each([
    ['/i.png', 'The site is missing'],
    ['///example.com', 'The site is missing'],
    ['./x', 'The site is missing'],
    ['?x=1', 'The site is missing'],
    ['i.png', 'No site\'s name ends in ".png"'],
    ['//report.pdf', 'No site\'s name ends in ".pdf"'],
    ['1.5', 'read as the address 1.0.0.5'],
    ['12345', 'read as the address 0.0.48.57'],
    ['2130706433', 'read as the address 127.0.0.1'],
    ['https://https://example.com', 'is there twice'],
    ['http://https//example.com', 'is there twice'],
    ['https//example.com', '"https//" is not the beginning'],
    ['http;//example.com', '"http;//" is not the beginning'],
    ['htp://example.com', 'not to "htp:"'],
    ['https://a.example https://b.example', 'several addresses'],
    ['a.example https://b.example', 'several addresses'],
    ['\u2022 https://example.com', 'in front of this address'],
    ['1. https://example.com', 'in front of this address'],
    ['Our menu: https://example.com', 'in front of this address'],
    ['C:\\Users\\me\\page.html', 'a file on a computer'],
    ['\\\\server\\share', 'a file on a computer'],
    ['file:///etc/passwd', 'a file on a computer'],
    ['me@example.com', 'a mail address'],
    ['mailto:me@example.com', 'a mail address'],
    ['https://example.com:0/', 'port 0'],
    ['example', 'This is not a web address'],
    ['www.', 'This is not a web address'],
    ['https://www.', 'This is not a web address'],
    ['.com', 'This is not a web address'],
    ['-example.com/x', 'This is not a web address'],
    ['https://example..com', 'This is not a web address'],
    ['https://example.com,', 'This is not a web address'],
    ['"https://example.com"', 'This is not a web address'],
    ['www,example.com', 'This is not a web address'],
    ['https://{tenant}.example.com/', 'This is not a web address'],
    [`https://${'a'.repeat(64)}.example/`, 'This is not a web address'],
    ['exa mple.com', 'This is not a web address'],
  ])('the typing error %s is refused with a helpful message', (input, message) => {
    expect(messageFor(input)).toContain(message);
  });

  test.each([
    ['\u200bhttps://example.com/x', 'https://example.com/x'],
    ['https://example.com/x\u00ad', 'https://example.com/x'],
    ['\ufeff \u202ahttps://example.com/x\u202c \u2060', 'https://example.com/x'],
    ['https://exa\u00admple.com/x', 'https://example.com/x'],
    ['https://example.com/\u0645\u06cc\u200c\u0634', 'https://example.com/%D9%85%DB%8C%E2%80%8C%D8%B4'],
    ['https://example.com/x%E2%80%8B', 'https://example.com/x%E2%80%8B'],
  ])('%j is read without what was surely pasted by accident', (input, text) =>
    expect(stored(input)).toBe(text),
  );

  test.each([
    ['https://example.com/sum\u00admer', 'a soft hyphen, after "/sum"'],
    ['https://example.com/?a=\u200bb', 'a zero-width space, after'],
    ['https://example.com\u200f/x', 'a mark of the writing direction, after'],
    ['ht\u200btps://example.com', 'a zero-width space, after "ht"'],
    ['https:\u2060//example.com', 'a word joiner, after "https:"'],
  ])('the invisible character in %j is named', (input, message) =>
    expect(messageFor(input)).toContain(message),
  );

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
  for (const input of refused)
    test(`${JSON.stringify(input)} is refused`, () => expect(stored(input)).toBeNull());

  test("an app's scheme is accepted if the operator allows it, and no other", () => {
    expect(stored('myapp://open/x', ['myapp'])).toBe('myapp://open/x');
    expect(stored('myapp:a|b c{d}', ['myapp'])).toBe('myapp:a%7Cb%20c{d}');
    expect(stored('other://open/x', ['myapp'])).toBeNull();
  });

  test.each([
    ['dots', (length: number) => 'a.'.repeat(length / 2)],
    ['dots after an @', (length: number) => `a@${'a.'.repeat(length / 2)}:`],
    ['zero-width spaces', (length: number) => `a${'\u200b'.repeat(length)}a`],
    ['marks in its host', (length: number) => `https://a${'\u0316\u0300'.repeat(length / 2)}.example`],
  ])('a text of many %s takes time in proportion to its length', (_, textOf) => {
    expect(growth(textOf, (text) => read(text))).toBeLessThan(4);
  });

  /** `npm run test:fuzz` tries more. */
  const cases = Number(process.env.CASES ?? 20_000);

  test(`of ${cases} generated texts, every accepted one is a safe Location`, () => {
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
      '{',
      '}',
      '|',
      '%',
      '0x7f.1',
      '"',
      'www',
    );
    const text = fc.oneof(
      fc.array(piece, { maxLength: 8 }).map((parts) => parts.join('')),
      fc.webUrl(),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(text, (input) => {
        const found = read(input);
        if (found === null) return;
        const { text, url } = found;
        expect(text).toMatch(/^https?:\/\/[a-z0-9._:[\]-]+(?:[/?#][\w\-.~:/?#@!$&'()*+,;=%{}]*)?$/i);
        expect(stored(text)).toBe(text);
        const location = locationOf(text);
        expect(isPlainUrl(location)).toBe(true);
        const { href, host, username, password } = new URL(location);
        expect([host, username, password]).toEqual([url.host, '', '']);
        expect(locationOf(asUri(href))).toBe(locationOf(asUri(url.href)));
        new Response(null, { status: 302, headers: { location } });
      }),
      { numRuns: cases },
    );
  });
});
