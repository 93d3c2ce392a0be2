import { expect, test } from 'bun:test';
import { connectTimeout } from './connect-timeout.ts';

test.each([
  ['', 4_000],
  ['?connect_timeout=30', 30_000],
  ['?sslmode=require&connect_timeout=1', 1_000],
  ['?connect_timeout=soon', 4_000],
])('an address that ends with "%s" has a timeout of %d milliseconds', (end, expected) => {
  expect(connectTimeout(`postgres://user@host:5432/name${end}`)).toBe(expected);
});
