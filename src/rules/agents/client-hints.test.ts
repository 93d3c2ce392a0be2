import { expect, test } from 'bun:test';
import { hintsChecksum } from './client-hints.ts';

const chrome = {
  brands: '"Chromium";v="131", "Not_A Brand";v="24"',
  mobile: '?0',
  platform: '"Windows"',
};

test('a browser always has the same checksum, and none without hints', () => {
  expect(hintsChecksum(chrome)).toBe(hintsChecksum({ ...chrome }));
  expect(hintsChecksum({ brands: null, mobile: null, platform: null })).toBe(0);
});

test('browsers that differ in one hint have different checksums', () => {
  const checksums = [
    chrome,
    { ...chrome, platform: '"Linux"' },
    { ...chrome, platform: null },
    { ...chrome, mobile: '?1' },
    { ...chrome, mobile: '', platform: '?0"Windows"' },
    { brands: null, mobile: null, platform: '' },
    ...Array.from({ length: 300 }, (_, version) => ({
      ...chrome,
      brands: `"Chromium";v="${version}", "Not_A Brand";v="24"`,
    })),
  ].map(hintsChecksum);
  expect(new Set(checksums).size).toBe(checksums.length - 1);
  for (const checksum of checksums) {
    expect(checksum).toBeGreaterThan(0);
    expect(checksum).toBeLessThan(2 ** 24);
  }
});
