import { expect, test } from 'bun:test';
import { floodNetwork, networksAround, widestNetwork } from './networks.ts';

const names = (network: string) => networksAround(network).map(({ name }) => name);

test('around a /64 are its /56 and its /48', () => {
  expect(names('2001:db8:1:ab12::/64')).toEqual([
    '2001:db8:1:ab12::/64',
    '2001:db8:1:ab00::/56',
    '2001:db8:1::/48',
  ]);
  expect(names('2001:db8:1:ab12::/64')[1]).toBe(names('2001:db8:1:abff::/64')[1] ?? '');
  expect(names('2001:db8:1:ab12::/64')[1]).not.toBe(names('2001:db8:1:ac12::/64')[1] ?? '');
  expect(names('2001:db8:1:7::/64')[1]).toBe('2001:db8:1:0::/56');
});

test('around an IPv4 address is its /24', () => {
  expect(names('198.51.100.7')).toEqual(['198.51.100.7', '198.51.100.0/24']);
  expect(widestNetwork('198.51.100.7')).toBe('198.51.100.0/24');
});

test('floods are counted by the /24 of an IPv4 address, and by the /48 of an IPv6 one', () => {
  expect(floodNetwork('198.51.100.7')).toBe('198.51.100');
  expect(floodNetwork('2001:db8:1:ab12::7')).toBe('2001:db8:1');
  expect(floodNetwork('2001:db8::7')).toBe('2001:db8:0');
  expect(floodNetwork('::1')).toBe('0:0:0');
});

test('a text that is not a network is returned alone', () => {
  for (const text of ['', 'not an address', '0.0.0']) expect(names(text)).toEqual([text]);
});
