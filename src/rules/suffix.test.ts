import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { growth } from '../../test/support/growth.ts';
import { processorTime } from '../../test/support/scaled-to-load.ts';
import { reservedSegments } from './service-paths.ts';
import { checkSuffix, enteredSuffix, isSuffix, normaliseSuffix, randomSuffix } from './suffix.ts';

const refusal = (suffix: string, onDefaultDomain = true) =>
  checkSuffix(suffix, onDefaultDomain)?.code ?? null;
const zwj = '\u200d';
const selector = '\ufe0f';

describe('the characters of a suffix', () => {
  test.each([
    'a',
    'Summer-2030',
    'a_b.c~d',
    'docs2',
    '...',
    '.hidden',
    'a/b',
    'team/2030/offer',
    'straße',
    'акция',
    'サマーセール',
    'عرض',
    'ऑफ़र',
    'ไทย',
    '２０３０',
    '🎉',
    '🎉🎉',
    '❤',
    `❤${selector}`,
    '👍🏽',
    '🇨🇭',
    `1${selector}\u20e3`,
    `👩${zwj}💻`,
    `👩🏽${zwj}🚀`,
    `🏳${selector}${zwj}🌈`,
    `👩${zwj}❤${selector}${zwj}💋${zwj}👨`,
    '🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}',
    'sale🎉2030',
  ])('%s is allowed', (suffix) => {
    expect(refusal(normaliseSuffix(suffix))).toBeNull();
  });

  test.each([
    ['nothing', ''],
    ['a space', 'a b'],
    ['a question mark', 'a?b'],
    ['a number sign', 'a#b'],
    ['a percent sign', 'a%20b'],
    ['a plus', 'a+b'],
    ['a backslash', 'a\\b'],
    ['a colon', 'a:b'],
    ['an at sign', 'a@b'],
    ['markup', '<b>'],
    ['a quote', 'a"b'],
    ['a line break', 'a\nb'],
    ['a NUL', 'a\0b'],
    ['half of a surrogate pair', 'a\ud83c'],
    ['a slash in front', '/a'],
    ['a slash at the end', 'a/'],
    ['an empty segment', 'a//b'],
    ['only a slash', '/'],
    ['a dot alone', '.'],
    ['two dots alone', '..'],
    ['a dot segment', 'a/./b'],
    ['a parent segment', 'a/../b'],
    ['a private-use character', '\ue000'],
  ])('%s is not allowed', (_, suffix) => {
    expect(refusal(suffix)).toBe('SUFFIX_INVALID');
  });

  test.each([
    ['a zero-width space', 'sale\u200b'],
    ['a zero-width non-joiner', 'sa\u200cle'],
    ['a joiner after a letter', `sale${zwj}`],
    ['a joiner between letters', `sa${zwj}le`],
    ['a joiner after an emoji that joins nothing', `🎉${zwj}`],
    ['a joiner before a letter', `🎉${zwj}a`],
    ['two joiners', `👩${zwj}${zwj}💻`],
    ['a selector after a letter', `sale${selector}`],
    ['a selector in front', `${selector}sale`],
    ['a selector after a digit that is no keycap', `1${selector}`],
    ['two selectors', `❤${selector}${selector}`],
    ['another selector', 'sale\ufe00'],
    ['a selector of the supplement', 'sale\u{e0100}'],
    ['tags after a letter', 'sale\u{e0061}\u{e007f}'],
    ['tags after an emoji that is no flag', '🎉\u{e0061}\u{e007f}'],
    ['tags without an end', '🏴\u{e0067}\u{e0062}'],
    ['a soft hyphen', 'sa\u00adle'],
    ['a word joiner', 'sa\u2060le'],
    ['a direction mark', 'sale\u200e'],
    ['a direction override', '\u202esale'],
    ['a grapheme joiner', 'sa\u034fle'],
    ['a Hangul filler, which is a letter', 'sale\u3164'],
    ['a half-width Hangul filler', 'sale\uffa0'],
    ['a combining mark without a base character', '\u0301sale'],
    ['a combining mark after a slash', 'a/\u0301b'],
  ])('%s, which is invisible, is not allowed', (_, suffix) => {
    expect(isSuffix(normaliseSuffix(suffix))).toBe(false);
  });

  test('characters that were pasted by accident are dropped at the ends, and named elsewhere', () => {
    expect(enteredSuffix('\ufeff\u200bsale \u00ad')).toBe('sale');
    expect(enteredSuffix('🏴\u{e0067}\u{e007f}❤\ufe0f')).toBe('🏴\u{e0067}\u{e007f}❤\ufe0f');
    expect(checkSuffix('sa\u00adle', true)?.sentence).toContain('a soft hyphen, after "sa"');
  });

  test('composed and decomposed letters are the same suffix', () => {
    expect(normaliseSuffix('cafe\u0301')).toBe('caf\u00e9');
    expect(normaliseSuffix('\u1112\u1161\u11ab')).toBe('한');
    expect(isSuffix(normaliseSuffix('cafe\u0301'))).toBe(true);
  });

  test('a suffix has at most 255 characters, however many code units a character takes', () => {
    expect(isSuffix('a'.repeat(255))).toBe(true);
    expect(isSuffix('a'.repeat(256))).toBe(false);
    expect(isSuffix('🎉'.repeat(255))).toBe(true);
    expect(isSuffix('🎉'.repeat(256))).toBe(false);
  });

  test('any suffix is read from a path as it was written to it', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 30 });
    fc.assert(
      fc.property(text, (generated) => {
        const suffix = normaliseSuffix(generated);
        if (!isSuffix(suffix)) return;
        const { pathname } = new URL(`http://h/${suffix}`);
        expect(normaliseSuffix(decodeURIComponent(pathname.slice(1)))).toBe(suffix);
      }),
      { numRuns: 2_000 },
    );
  });

  test('a long invalid text is refused quickly', () => {
    const start = processorTime();
    for (const text of [
      '👩🏽'.repeat(120),
      `👩${zwj}`.repeat(100),
      '\u{e0061}'.repeat(250),
      'a\u0301'.repeat(120),
    ])
      isSuffix(`${text}!`);
    expect(processorTime() - start).toBeLessThan(200);
  });
});

describe("the service's own paths", () => {
  test.each([...reservedSegments])(
    '%s is reserved on the default domain, alone and as a first segment',
    (segment) => {
      expect(refusal(segment)).toBe('SUFFIX_RESERVED');
      expect(refusal(segment.toUpperCase())).toBe('SUFFIX_RESERVED');
      expect(refusal(`${segment}/deeper`)).toBe('SUFFIX_RESERVED');
    },
  );

  test('they are allowed further down, as part of a word, and most of them on a custom domain', () => {
    for (const suffix of ['offer/api', 'apis', 'api-docs', 'my.api']) expect(refusal(suffix)).toBeNull();
    for (const suffix of ['api', 'docs', 'app', 'qr/menu']) expect(refusal(suffix, false)).toBeNull();
  });

  test.each(['_linnet', '_linnet/captcha.js', 'robots.txt', 'favicon.ico'])(
    '%s is served on custom domains too, so no link can have it',
    (suffix) => {
      expect(refusal(suffix, false)).toBe('SUFFIX_RESERVED');
    },
  );
});

describe('a random suffix', () => {
  const secureBytes = (count: number) => crypto.getRandomValues(new Uint8Array(count));
  const draw = () => randomSuffix(secureBytes);

  test('has seven characters without look-alikes', () => {
    for (let count = 0; count < 1_000; count++) expect(draw()).toMatch(/^[2-9a-hjkmnp-zA-HJ-NP-Z]{7}$/);
  });

  test('is evenly distributed, though 256 byte values are no multiple of 55 characters', () => {
    // A xorshift generator with a fixed seed returns the same numbers in every run.
    let state = 20_300_101;
    const seeded = (count: number) =>
      Uint8Array.from({ length: count }, () => {
        state ^= state << 13;
        state ^= state >>> 17;
        state ^= state << 5;
        return state >>> 24;
      });
    const counts = new Map<string, number>();
    const draws = 40_000;
    for (let index = 0; index < draws; index++)
      for (const character of randomSuffix(seeded)) counts.set(character, (counts.get(character) ?? 0) + 1);
    expect(counts.size).toBe(55);
    const expected = (draws * 7) / 55;
    for (const count of counts.values()) expect(Math.abs(count - expected) / expected).toBeLessThan(0.06);
  });

  test('is always allowed', () => {
    for (let count = 0; count < 1_000; count++) expect(refusal(draw())).toBeNull();
  });
});

test('a long run of any character is refused as fast as it is accepted', () => {
  const characters = [
    '\ufe0f',
    '\u20e3',
    'a\u20e3',
    'a\u0301',
    '1\ufe0f\u20e3',
    '🦊',
    '🦊\u200d',
    '🇩🇪',
    '👍🏽',
    '\u{e0061}',
    '.',
    '-',
    'é',
    '字',
  ];
  const timeFor = (text: string) => {
    const start = processorTime();
    for (let round = 0; round < 20; round++) isSuffix(text);
    return processorTime() - start;
  };
  // Exponential time doubles with every character; twice the characters may cost a few times as much.
  for (const character of characters) {
    const [short, long] = [timeFor(`${character.repeat(20)}!`), timeFor(`${character.repeat(40)}!`)];
    expect(long).toBeLessThan(50 + short * 100);
  }
});

test('the longest suffix of any character is accepted in its decomposed form too', () => {
  for (let code = 0; code <= 0x10ffff; code++) {
    const character = String.fromCodePoint(code);
    // Hangul syllables are composed by one rule: one in 29 of them has each of their parts.
    if (code >= 0xac00 && code <= 0xd7a3 && code % 29 > 0) continue;
    if (character.normalize('NFD') === character || !isSuffix(normaliseSuffix(character))) continue;
    for (const text of [character + '\u0316'.repeat(254), character.repeat(255)]) {
      const suffix = text.normalize('NFC');
      if (isSuffix(suffix)) expect([code, normaliseSuffix(suffix.normalize('NFD'))]).toEqual([code, suffix]);
    }
  }
});

test('a text full of marks is refused as fast as one full of letters', () => {
  expect(isSuffix(enteredSuffix(`a${'\u0316\u0300'.repeat(200)}`))).toBe(false);
  expect(growth((length) => `a${'\u0316\u0300'.repeat(length / 2)}`, enteredSuffix)).toBeLessThan(4);
});
