import { expect, test } from 'bun:test';
import { isEmail, normaliseEmail } from './account.ts';

test.each(['ada@example.com', 'a.d+a@ex-ample.co.uk', 'ädä@exämple.com', '愛@例え.jp', 'ada@localhost'])(
  '%s is an address',
  (email) => expect(isEmail(email)).toBe(true),
);

test.each([
  'ada',
  'ada@',
  '@example.com',
  'a da@example.com',
  'ada@example..com',
  'x\u200b@example.com',
  '\u00adx@example.com',
  'x\u2060y@example.com',
  'x\u3164@example.com',
  'x@exam\u200bple.com',
  'x@exam\u3164ple.com',
])('%j is no address', (email) => expect(isEmail(email)).toBe(false));

test.each([
  ['Bob@EXÄMPLE.com', 'bob@exämple.com'],
  ['bob@XN--exmple-cua.com', 'bob@exämple.com'],
  ['愛@xn--r8jz45g.xn--zckzah', '愛@例え.テスト'],
  // Looks like apple.com.
  ['ada@аррӏе.com', 'ada@xn--80ak6aa92e.com'],
  ['ada@xn--80ak6aa92e.com', 'ada@xn--80ak6aa92e.com'],
  ['ada@xn--zzzzzzzz.com', 'ada@xn--zzzzzzzz.com'],
  ['xn--a', 'xn--a'],
])('%s identifies the account of %s', (email, expected) => {
  expect(normaliseEmail(email)).toBe(expected);
  expect(normaliseEmail(expected)).toBe(expected);
});
