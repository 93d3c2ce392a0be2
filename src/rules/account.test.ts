import { expect, test } from 'bun:test';
import { isEmail } from './account.ts';

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
