import { expect, test } from 'bun:test';
import { hasLongHost } from './host.ts';

const long = 'a'.repeat(1_001);

test.each([
  `https://${long}/x`,
  `HTTP:${long}`,
  `http:\\\\${long}`,
  `//${long}?x`,
  `/\\${long}`,
  `ht\ttps:/\n/${long}`,
  ` https://user@${long}:80`,
])('%p names a host that is too long', (address) => {
  expect(hasLongHost(address)).toBe(true);
});

test.each([
  `https://example.com/${long}`,
  `/${long}`,
  long,
  `?${long}`,
  `//example.com?${long}`,
  `https://${'a'.repeat(1_000)}`,
  '',
])('%p does not', (address) => {
  expect(hasLongHost(address)).toBe(false);
});
