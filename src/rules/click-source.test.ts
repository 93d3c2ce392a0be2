import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { clickSource } from './click-source.ts';

const none = { utm_source: '', utm_medium: '', utm_campaign: '', utm_term: '', utm_content: '' };

test('a query without tags means a link without a campaign', () => {
  for (const query of [
    '',
    '?',
    '?x=1',
    '?q',
    '?utm=1',
    '?utm_id=3',
    '?qrcode=1',
    '?a=qr',
    '?QR',
    '?%',
    '?%zz',
  ]) {
    expect(clickSource(query)).toEqual({ source: 'link', utm: none });
  }
});

test('the marker of a QR code counts with and without a value, at any position', () => {
  for (const query of ['?qr', 'qr', '?qr=', '?qr=1', '?a=b&qr', '?qr&a=b', '?%71r']) {
    expect(clickSource(query)).toEqual({ source: 'qr', utm: none });
  }
});

test('campaign tags are decoded', () => {
  expect(
    clickSource(
      '?qr&utm_source=news%20letter&utm_medium=e+mail&utm_campaign=fr%C3%BChling&utm_term=a%26b&utm_content=top',
    ),
  ).toEqual({
    source: 'qr',
    utm: {
      utm_source: 'news letter',
      utm_medium: 'e mail',
      utm_campaign: 'frühling',
      utm_term: 'a&b',
      utm_content: 'top',
    },
  });
});

test('the first of repeated tags counts, and a malformed tag is decoded as far as possible', () => {
  expect(clickSource('?utm_source=a&utm_source=b').utm.utm_source).toBe('a');
  expect(clickSource('?utm_source=%ff%zz').utm.utm_source).toBe('\ufffd%zz');
});

test('a long tag is truncated between characters', () => {
  expect(clickSource(`?utm_source=${'x'.repeat(9_000)}`).utm.utm_source).toBe('x'.repeat(100));
  expect(clickSource(`?utm_source=${'x'.repeat(99)}%F0%9F%A6%86`).utm.utm_source).toBe('x'.repeat(99));
});

test('the result can be stored, whatever the query is', () => {
  const query = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc
      .string({ unit: 'binary', maxLength: 300 })
      .map((text) => `?utm_source=${text}&utm_term=${encodeURIComponent(text.toWellFormed())}`),
  );
  fc.assert(
    fc.property(query, (text) => {
      for (const value of Object.values(clickSource(text).utm)) {
        expect(value.length).toBeLessThanOrEqual(100);
        expect(value.isWellFormed()).toBe(true);
        expect(value).not.toMatch(/\p{Cc}/u);
      }
    }),
    { numRuns: 1_000 },
  );
});
