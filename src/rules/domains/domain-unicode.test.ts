import { expect, test } from 'bun:test';
import { domainToASCII } from 'node:url';
import { displayDomain } from './domain-unicode.ts';

const shown = (name: string): string => displayDomain(domainToASCII(name));

test.each([
  'example.org',
  'bücher.example.org',
  'straße.de',
  'søk.no',
  'çağrı.com.tr',
  'ελλάδα.gr',
  'президент.рф',
  'україна.ua',
  '例え.jp',
  'テスト2.jp',
  '日本語ドメイン.jp',
  '中国.中国',
  '한국어.kr',
  'مثال.com',
  'דוגמה.co.il',
  'ตัวอย่าง.th',
  'हिन्दी.in',
])('%s is shown as it is written', (name) => {
  expect(shown(name)).toBe(name);
});

test.each([
  ['Latin with one Cyrillic letter', 'аpple.com'],
  ['Latin with one Greek letter', 'gοοgle.com'],
  ['Cyrillic letters that read as Latin ones', 'аррӏе.com'],
  ['Greek letters that read as Latin ones', 'ταν.com'],
  ['Han beside Cyrillic', '例пример.com'],
  ['an emoji', '💩.la'],
  ['a symbol', '☃.net'],
  ['a letter of an extinct script', 'ᚠᚢᚦ.com'],
])('%s stays in ASCII', (_, name) => {
  expect(shown(name)).toBe(domainToASCII(name));
  expect(shown(name)).toStartWith('xn--');
});

test('each label of a name is decided separately', () => {
  expect(shown('аpple.bücher.example')).toBe('xn--pple-43d.bücher.example');
});
