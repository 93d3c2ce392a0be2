import { describe, expect, test } from 'bun:test';
import { processorTime } from '../../test/support/scaled-to-load.ts';
import { options, type TrustedProxies } from '../config/options.ts';
import { clientAddress, isLoopbackAddress, networkOf, peerAddress } from './client-address.ts';

const trust = (text: string): TrustedProxies => options.trustedProxies.parse(text);

const peer = '203.0.113.7';
const proxy = '10.0.0.1';

/** The trusted proxies, the socket's address, X-Forwarded-For, and the client's address. */
type Case = readonly [trusted: string, peer: string | null, forwarded: string | null, client: string];

const untrusted: readonly Case[] = [
  ['0', peer, null, peer],
  ['0', peer, '198.51.100.1', peer],
  ['0', peer, '127.0.0.1', peer],
  ['0', peer, '198.51.100.1, 127.0.0.1, ::1', peer],
  ['0', peer, '', peer],
  ['0', '::ffff:203.0.113.7', '198.51.100.1', peer],
  ['0', '2001:db8::7', '198.51.100.1', '2001:db8::7'],
  ['0', null, '198.51.100.1', '0.0.0.0'],
];

const hops: readonly Case[] = [
  ['1', proxy, null, proxy],
  ['1', proxy, '', proxy],
  ['1', proxy, '198.51.100.1', '198.51.100.1'],
  ['1', proxy, ' 198.51.100.1 ', '198.51.100.1'],
  ['1', proxy, '198.51.100.1:49152', '198.51.100.1'],
  ['1', proxy, '2001:db8::1', '2001:db8::1'],
  ['1', proxy, '[2001:db8::1]', '2001:db8::1'],
  ['1', proxy, '[2001:db8::1]:443', '2001:db8::1'],
  ['1', proxy, '2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
  ['1', proxy, '::ffff:198.51.100.1', '198.51.100.1'],
  ['1', proxy, 'fe80::1%eth0', 'fe80::1'],
  // The visitor can forge the entries before that of the nearest proxy.
  ['1', proxy, '127.0.0.1, 198.51.100.1', '198.51.100.1'],
  ['1', proxy, '1.1.1.1, 2.2.2.2, 3.3.3.3, 198.51.100.1', '198.51.100.1'],
  ['1', proxy, 'unknown, 198.51.100.1', '198.51.100.1'],
  ['1', proxy, '<script>, 198.51.100.1', '198.51.100.1'],
  ['1', proxy, ',198.51.100.1', '198.51.100.1'],
  ['2', proxy, '198.51.100.1, 10.0.0.2', '198.51.100.1'],
  ['2', proxy, '1.1.1.1, 198.51.100.1, 10.0.0.2', '198.51.100.1'],
  // Fewer entries than proxies: the farthest known address.
  ['2', proxy, '10.0.0.2', '10.0.0.2'],
  ['9', proxy, '198.51.100.1', '198.51.100.1'],
  ['3', proxy, '198.51.100.1, 10.0.0.3, 10.0.0.2', '198.51.100.1'],
];

const garbage: readonly Case[] = [
  ['1', proxy, 'unknown', proxy],
  ['1', proxy, '_hidden', proxy],
  ['1', proxy, '198.51.100.1,', proxy],
  ['1', proxy, ',', proxy],
  ['1', proxy, ',,,,', proxy],
  ['1', proxy, '198.51.100', proxy],
  ['1', proxy, '198.51.100.256', proxy],
  ['1', proxy, '198.51.100.1.1', proxy],
  ['1', proxy, '0x7f.0.0.1', proxy],
  ['1', proxy, '0177.0.0.1', proxy],
  ['1', proxy, '2130706433', proxy],
  ['1', proxy, '127.1', proxy],
  ['1', proxy, '198.51.100.1:', proxy],
  ['1', proxy, '198.51.100.1 evil', proxy],
  ['1', proxy, '[2001:db8::1', proxy],
  ['1', proxy, '2001:db8::1::2', proxy],
  ['1', proxy, '2001:db8::g', proxy],
  ['1', proxy, '"198.51.100.1"', proxy],
  ['1', proxy, 'for=198.51.100.1', proxy],
  ['1', proxy, 'localhost', proxy],
  ['1', proxy, '１９８.51.100.1', proxy],
  ['2', proxy, 'unknown, 10.0.0.2', '10.0.0.2'],
  ['2', proxy, '198.51.100.1, garbage', proxy],
  ['1', 'not an address', null, '0.0.0.0'],
];

const networks: readonly Case[] = [
  ['10.0.0.0/8', proxy, '198.51.100.1', '198.51.100.1'],
  ['10.0.0.0/8', proxy, '198.51.100.1, 10.9.9.9', '198.51.100.1'],
  ['10.0.0.0/8', proxy, '10.8.8.8, 198.51.100.1, 10.9.9.9', '198.51.100.1'],
  // A client that bypasses the proxies is not trusted, whatever it sends.
  ['10.0.0.0/8', peer, '198.51.100.1', peer],
  ['10.0.0.0/8', peer, '10.0.0.5', peer],
  ['10.0.0.0/8', '11.0.0.1', '198.51.100.1', '11.0.0.1'],
  ['10.0.0.1', '10.0.0.2', '198.51.100.1', '10.0.0.2'],
  ['10.0.0.1', proxy, '198.51.100.1', '198.51.100.1'],
  ['10.0.0.0/8,192.168.1.4', '192.168.1.4', '198.51.100.1, 10.0.0.9', '198.51.100.1'],
  ['10.0.0.0/8,192.168.1.4', '192.168.1.5', '198.51.100.1', '192.168.1.5'],
  // All entries are trusted proxies: the farthest of them.
  ['10.0.0.0/8', proxy, '10.0.0.3, 10.0.0.2', '10.0.0.3'],
  ['10.0.0.0/8', proxy, 'unknown, 10.0.0.2', '10.0.0.2'],
  ['10.0.0.0/8', '::ffff:10.0.0.1', '198.51.100.1', '198.51.100.1'],
  ['127.0.0.1,::1', '::1', '2001:db8::1', '2001:db8::1'],
  ['fd00::/8', 'fd12::1', '2001:db8::1, fd13::1', '2001:db8::1'],
  ['fd00::/8', 'fe80::1', '2001:db8::1', 'fe80::1'],
  // An IPv6 network never includes IPv4 addresses.
  ['::/0', peer, '198.51.100.1', peer],
];

describe.each<[string, readonly Case[]]>([
  ['no proxy is trusted', untrusted],
  ['a number of proxies is trusted', hops],
  ['the header is garbled', garbage],
  ['networks are trusted', networks],
])('when %s', (_, cases) => {
  test.each(cases.map((one) => [...one] as const))(
    'TRUSTED_PROXIES=%s peer %p header %p: %s',
    (trusted, from, forwarded, client) => {
      expect(clientAddress(peerAddress(from), forwarded, trust(trusted))).toBe(client);
    },
  );
});

test('a header of maximum length is only read as far as proxies are trusted', () => {
  const forged = '1.1.1.1,'.repeat(2_000);
  const start = processorTime();
  for (let call = 0; call < 1_000; call++)
    expect(clientAddress(proxy, `${forged}198.51.100.1`, trust('1'))).toBe('198.51.100.1');
  expect(processorTime() - start).toBeLessThan(500);
});

describe('a network', () => {
  test.each([
    ['198.51.100.1', '198.51.100.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['::1', '0:0:0:0::/64'],
    ['not an address', 'not an address'],
  ])('of %s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  test('is the same for a client that uses another address of the same /64 for every guess', () => {
    expect(networkOf('2001:db8:1:2:aaaa::1')).toBe(networkOf('2001:db8:1:2:bbbb:cccc::9'));
    expect(networkOf('2001:db8:1:2::1')).not.toBe(networkOf('2001:db8:1:3::1'));
  });
});

test.each([
  ['127.0.0.1', true],
  ['127.9.9.9', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['128.0.0.1', false],
  ['::ffff:10.0.0.1', false],
  ['0.0.0.0', false],
  ['localhost', false],
  [null, false],
])('whether %p is a loopback address: %p', (address, answer) => {
  expect(isLoopbackAddress(address)).toBe(answer);
});
