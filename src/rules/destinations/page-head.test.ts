import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { iconType } from './icon-type.ts';
import { decodePage, pageHead } from './page-head.ts';

const titleIn = (html: string): string => pageHead(html).title;
const bytesOf = (text: string): Uint8Array => Buffer.from(text, 'latin1');

describe('the title of a page', () => {
  test.each([
    ['<title>A page</title>', 'A page'],
    ['<!doctype html><HTML><Head><TITLE lang="a>b">\n A \t page\n</TITLE >', 'A page'],
    ['<title>Caf&eacute; &amp; Bar &#8211; &#x1F426; &unknown; &#0;</title>', 'Café & Bar – 🐦 &unknown;'],
    ['<!-- <title>no</title> --><script>"<title>no</title>"</script><title>yes</title>', 'yes'],
    ['<svg><title>picture</title></svg><title>page</title>', 'page'],
    ['<title></title><title>second</title>', 'second'],
    ['<title><b>bold</b></title>', '<b>bold</b>'],
    ['<title>\u202egnp.exe\u0000\u0007</title>', 'gnp.exe'],
    ['<title>never closed', 'never closed'],
    ['<script><title>no</title>', ''],
    ['<!-- <title>no</title>', ''],
    ['<meta content="<title>no</title>"><title>yes</title>', 'yes'],
    [`<title>${'x'.repeat(199)}🐦</title>`, 'x'.repeat(199)],
    ['', ''],
  ])('%j has %j', (html, title) => {
    expect(titleIn(html)).toBe(title);
  });

  test('is found quickly in pages that were made to be slow to parse', () => {
    const half = 64 * 1024;
    const hostile = [
      '<',
      '<!--',
      '<script',
      '<script>',
      '<title',
      '<link rel="icon" href="',
      '<link a=',
      '<link a= b= ',
      '</title',
      '<svg><title>',
      "<a '",
      '&#',
      '<title>&',
    ];
    const started = performance.now();
    for (const text of hostile) {
      pageHead(text.repeat(half / text.length));
      pageHead(`<title>${text.repeat(half / text.length)}</title>`);
    }
    expect(performance.now() - started).toBeLessThan(4_000);
  });

  test('is one line of at most 200 characters, for any page', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.string({ unit: 'binary' }),
            fc.constantFrom('<title>', '</title>', '<!--', '<link ', '>'),
          ),
        ),
        (parts) => {
          const { title, icons } = pageHead(parts.join(''));
          expect(title.length).toBeLessThanOrEqual(200);
          expect(title).not.toMatch(/[\p{Cc}\n]/u);
          expect(title.isWellFormed()).toBe(true);
          expect(icons.length).toBeLessThanOrEqual(4);
        },
      ),
    );
  });

  test.each([
    ['text/html; charset=iso-8859-1', 'Caf\xe9', 'Café'],
    ['text/html; charset="UTF-8"', 'Caf\xc3\xa9', 'Café'],
    ['text/html', '<meta charset=windows-1251>\xcf\xf0', '<meta charset=windows-1251>Пр'],
    ['text/html', 'Caf\xc3\xa9', 'Café'],
    ['text/html', 'Caf\xe9 ', 'Café '],
    ['text/html; charset=no-such', 'Caf\xc3\xa9', 'Café'],
    ['text/html; charset=Shift_JIS', '\x93\xfa\x96{', '日本'],
    ['text/html', 'cut \xc3', 'cut '],
  ])('in %s reads %j as %j', (type, bytes, text) => {
    expect(decodePage(bytesOf(bytes), type)).toBe(text);
  });
});

describe('the icons of a page', () => {
  test('are those that links name, without SVG', () => {
    const { icons } =
      pageHead(`<link rel="apple-touch-icon" href=/touch.png><link rel='shortcut icon' href='a.ico?x&amp;y'>
      <link rel=stylesheet href=b.css><link rel=icon type=image/svg+xml href=c><link rel=icon href=d.SVG#x>
      <link rel=icon href="data:image/png;base64,AAAA"><!-- <link rel=icon href=e.png> -->`);
    expect(icons).toEqual(['a.ico?x&y', '/touch.png']);
  });

  test.each([
    ['\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x20\0\0\0\x20', 'image/png'],
    ['\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\x01\0\0\0\0\0\x20', null],
    ['\x89PNG\r\n\x1a\n', null],
    ['GIF89a\x10\0\x10\0', 'image/gif'],
    ['GIF89a\xff\xff\x10\0', null],
    [`\0\0\x01\0${'\0'.repeat(20)}`, 'image/x-icon'],
    ['<svg xmlns="http://www.w3.org/2000/svg"><script/>', null],
    ['<html>', null],
    ['', null],
  ])('%j is %s', (bytes, type) => {
    expect(iconType(bytesOf(bytes))).toBe(type as ReturnType<typeof iconType>);
  });
});
