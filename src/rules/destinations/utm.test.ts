import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { utmFields } from '../click-fields.ts';
import { utmOf, withUtm } from './utm.ts';

describe('UTM parameters', () => {
  test('are read from a destination as by a browser, at any position', () => {
    expect(
      utmOf('https://a.example/?x=1&utm_source=spring+mail&utm_medium=%C3%BCber&utm%5Fterm=t#utm_content=no'),
    ).toEqual({
      utm_source: 'spring mail',
      utm_medium: 'über',
      utm_campaign: '',
      utm_term: 't',
      utm_content: '',
    });
    expect(utmOf('https://a.example/?utm_source=%FC&utm_source=second&utm_medium').utm_source).toBe('%FC');
    expect(utmOf('https://a.example/?utm_medium').utm_medium).toBe('');
    expect(utmOf('').utm_source).toBe('');
  });

  test.each([
    ['https://a.example/', { utm_source: 'mail' }, 'https://a.example/?utm_source=mail'],
    ['https://a.example', { utm_source: 'a b&c=d' }, 'https://a.example?utm_source=a%20b%26c%3Dd'],
    ['https://a.example/?x=%7e&y#top', { utm_term: 't' }, 'https://a.example/?x=%7e&y&utm_term=t#top'],
    ['https://a.example/?utm_source=a&x={id}', { utm_source: 'b' }, 'https://a.example/?utm_source=b&x={id}'],
    [
      'https://a.example/?utm_source=a&x=1&utm_source=c',
      { utm_source: 'b' },
      'https://a.example/?utm_source=b&x=1',
    ],
    ['https://a.example/?utm_source=a#f', { utm_source: '' }, 'https://a.example/#f'],
    ['https://a.example/?utm_source=a&utm_source=b&x', { utm_source: null }, 'https://a.example/?x'],
    ['https://a.example/?', { utm_term: '' }, 'https://a.example/?'],
    ['https://a.example/?x', {}, 'https://a.example/?x'],
    ['app://open?utm_source=a', { utm_medium: 'm' }, 'app://open?utm_source=a&utm_medium=m'],
    ['https://a.example/', { utm_source: '\ud800' }, 'https://a.example/?utm_source=%EF%BF%BD'],
  ])('%s with %j is %s', (destination, changes, after) => {
    expect(withUtm(destination, changes)).toBe(after);
  });

  test('are read back as they were set, and nothing else changes', () => {
    const value = fc.string({ unit: 'grapheme', maxLength: 20 });
    const changes = fc.record(Object.fromEntries(utmFields.map((field) => [field, value])));
    const parameter = fc.constantFrom('a=1', 'b', 'utm_source=x', 'utm_term=', 'utm_id=7', 'q=%zz', '');
    const destination = fc
      .tuple(fc.array(parameter, { maxLength: 6 }), fc.constantFrom('', '#', '#f?utm_source=no'))
      .map(([parameters, fragment]) => `https://a.example/p?${parameters.join('&')}${fragment}`);
    fc.assert(
      fc.property(destination, changes, (before, expected) => {
        const after = withUtm(before, expected);
        expect(utmOf(after)).toEqual(expected as ReturnType<typeof utmOf>);
        const otherParameters = (text: string) =>
          text
            .replace(/#.*/, '')
            .split('?')[1]
            ?.split('&')
            .filter((one) => one !== '' && !utmFields.some((field) => one.startsWith(`${field}=`)));
        expect(otherParameters(after) ?? []).toEqual(otherParameters(before) ?? []);
        expect(after.split('#')[1]).toBe(before.split('#')[1]);
      }),
      { numRuns: 500 },
    );
  });
});
