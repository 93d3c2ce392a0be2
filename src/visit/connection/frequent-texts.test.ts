import { expect, test } from 'bun:test';
import { browserHeaders } from '../../../bench/redirect/browser-headers.ts';
import { seededRandom } from '../../../bench/redirect/zipf.ts';
import { FrequentTexts } from './frequent-texts.ts';
import { copyHead } from './header-bytes.ts';

const texts = new FrequentTexts();

function get(text: string, before = ''): string {
  const bytes = Buffer.from(`${before}${text}\r\n`, 'latin1');
  copyHead(bytes, 0);
  return texts.get(before.length, before.length + text.length);
}

test('a text is found again wherever it is in a request', () => {
  for (const text of [...Object.values(browserHeaders), '', 'a', 'abc', 'abcd', 'abcde', 'x'.repeat(2_000)]) {
    expect(get(text)).toBe(text);
    expect(get(text, 'Host: ')).toBe(text);
  }
});

test('more texts than there is room for are all read as they are', () => {
  const random = seededRandom(20261130);
  const many = Array.from({ length: 3_000 }, () => {
    const length = Math.floor(random() * 300);
    return Array.from({ length }, () => 'ab c'[Math.floor(random() * 4)]).join('');
  });
  const wrong = [...many, ...many].filter((text) => get(text) !== text);
  expect(wrong).toEqual([]);
});

test('a text of another length is another text, though its words are the same', () => {
  const wrong: string[] = [];
  for (let code = 33; code < 127; code++) {
    const letter = String.fromCharCode(code);
    for (let length = 5; length <= 253; length += 4) {
      get(letter.repeat(length));
      for (let more = 1; more < 4; more++) {
        const longer = letter.repeat(length + more);
        if (get(longer) !== longer) wrong.push(longer);
        get(letter.repeat(length));
      }
    }
  }
  expect(wrong).toEqual([]);
});
