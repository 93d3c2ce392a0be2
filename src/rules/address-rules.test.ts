import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { isPublic, readAddress, readUnmapped, unmapped } from './address-rules.ts';

/** The ranges of IANA's special-purpose registries, and those of the list of threats: the first and last address of each range. */
const specialAddresses = `
  0.0.0.0 0.0.0.1 0.255.255.255 10.0.0.0 10.1.2.3 10.255.255.255 100.64.0.0 100.100.100.200 100.127.255.255
  127.0.0.0 127.0.0.1 127.0.1.1 127.255.255.255 169.254.0.0 169.254.169.254 169.254.255.255
  172.16.0.0 172.17.0.1 172.31.255.255 192.0.0.0 192.0.0.1 192.0.0.8 192.0.0.9 192.0.0.10 192.0.0.170 192.0.0.171
  192.0.0.192 192.0.0.255 192.0.2.0 192.0.2.1 192.0.2.255 192.31.196.0 192.31.196.255 192.52.193.0 192.52.193.255
  192.88.99.0 192.88.99.1 192.88.99.255 192.168.0.0 192.168.1.1 192.168.255.255 192.175.48.0 192.175.48.255
  198.18.0.0 198.18.0.1 198.19.255.255 198.51.100.0 198.51.100.255 203.0.113.0 203.0.113.255
  224.0.0.0 224.0.0.1 239.255.255.255 240.0.0.0 250.1.2.3 255.255.255.254 255.255.255.255 168.63.129.16
  :: ::1 ::2 ::7f00:1 ::127.0.0.1 ::a9fe:a9fe ::808:808 ::ffff:0:0 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:10.0.0.1
  ::ffff:8.8.8.8 0:0:0:0:0:ffff:7f00:1 ::ffff:0:127.0.0.1 ::ffff:0:8.8.8.8
  64:ff9b:: 64:ff9b::7f00:1 64:ff9b::10.0.0.1 64:ff9b::a9fe:a9fe 64:ff9b::8.8.8.8 64:ff9b:1:: 64:ff9b:1::1
  64:ff9b:1:fffe::7f00:1 64:ff9b:1:ffff:ffff:ffff:ffff:ffff 100:: 100::1 100::ffff:ffff:ffff:ffff 100:0:0:1::
  200:: 1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff
  2001:: 2001::1 2001:0:ffff:ffff:ffff:ffff:ffff:ffff 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:0:53aa:64c:0:0:80ff:fffe
  2001:1::1 2001:1::2 2001:1::3 2001:2:: 2001:2:0:ffff:ffff:ffff:ffff:ffff 2001:3:: 2001:3:ffff:: 2001:4:112::
  2001:4:112:ffff:: 2001:5:: 2001:10:: 2001:1f:ffff:: 2001:20:: 2001:2f:ffff:: 2001:30:: 2001:3f:ffff::
  2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff 2001:db8:: 2001:db8::1 2001:DB8::1 2001:0db8:0000:0000:0000:0000:0000:0001
  2001:db8:ffff:ffff:ffff:ffff:ffff:ffff 2002:: 2002:7f00:1:: 2002:7f00:0001::1 2002:a00:1:: 2002:a9fe:a9fe::
  2002:808:808:: 2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff 3fff:: 3fff::1 3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff
  4000:: 5f00:: 5f00::1 5f00:ffff:: 6000:: 8000:: a000:: c000:: e000:: f000:: fbff:ffff::
  fc00:: fc00::1 fd00:: fd00:ec2::254 fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff fe00:: fe80:: fe80::1
  fe80::a9fe:a9fe febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff fec0:: fec0::1 feff:ffff:: ff00:: ff01::1 ff02::1 ff02::2
  ff05::2 ff0e::1 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff
  169.254.170.2 169.254.169.253 100.88.0.1 172.20.10.2 172.31.0.2 10.96.0.1 10.43.0.10 192.168.65.254 192.168.122.1
  198.19.0.1 233.252.0.1 241.0.0.1 0.10.0.1 fd20:ce::254 fd00:7f00:1:: fd12:3456:789a::1 fe80::5efe:7f00:1
  ::ffff:a00:1 ::ffff:169.254.169.254 ::ffff:c0a8:101 ::ffff:0.0.0.0 ::ffff:168.63.129.16 ::a83f:8110
`;

/** The neighbours of every special range, and some well-known addresses. */
const publicAddresses = `
  1.0.0.0 1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 168.63.129.15
  168.63.129.17 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0 192.0.1.255 192.0.3.0
  192.31.195.255 192.31.197.0 192.52.192.255 192.52.194.0 192.88.98.255 192.88.100.0 192.167.255.255 192.169.0.0
  192.175.47.255 192.175.49.0 198.17.255.255 198.20.0.0 198.51.99.255 198.51.101.0 203.0.112.255 203.0.114.0
  223.255.255.255 93.184.215.14
  2000:: 2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff 2001:200:: 2001:4860:4860::8888 2001:db7:ffff:: 2001:db9:: 2001:ffff::
  2003:: 2600:: 2606:4700:4700::1111 2606:4700::6810:84e5 2a00:1450:4001::200e 2a02:2e0:: 3000:: 3ffe:ffff::
  3fff:1000:: 3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff
`;

/** Forms that no name server writes: another parser could read each of them as another address. */
const unreadable = [
  ...[
    '127.1',
    '127.0.1',
    '127',
    '2130706433',
    '0x7f000001',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '017700000001',
    '010.0.0.1',
  ],
  ...[
    '127.0.0.01',
    '127.0.0.1.',
    '.127.0.0.1',
    '127.0.0.1 ',
    ' 127.0.0.1',
    '127.0.0.1\n',
    '127.0.0.1\0',
    '127.0.0.256',
  ],
  ...[
    '127.0.0.1/8',
    '127.0.0.1:80',
    '+127.0.0.1',
    '-1.0.0.1',
    '1e1.0.0.1',
    '127.0.0',
    '127.0.0.0.1',
    '1.2.3.4.5',
  ],
  ...['１２７.0.0.1', '127。0。0。1', '①.1.1.1', '0.0.0.0x0', '8.8.8.08', '8.8.8.8%eth0', '8,8,8,8', '0', ''],
  ...[
    '[::1]',
    '[2606:4700:4700::1111]',
    '::1%eth0',
    'fe80::1%1',
    'fe80::1%25eth0',
    '2606:4700:4700::1111%eth0',
  ],
  ...[
    '2606:4700:4700::1111%',
    ':',
    ':::',
    '1::2::3',
    '2606:4700',
    '2606:4700:4700:::1111',
    '2606:4700:4700::1111/64',
  ],
  ...[
    '127.0.0.1, 8.8.8.8',
    '127.0.0.1 8.8.8.8',
    '8.8.8.8#',
    '8.8.8.8@127.0.0.1',
    '%31.1.1.1',
    '8.8.8.8.',
    '٨.٨.٨.٨',
  ],
  ...[
    '0b1.1.1.1',
    '0o10.1.1.1',
    '8.8.8.',
    '8..8.8',
    '8.8.8',
    '8.526344',
    '134744072',
    '0x08080808',
    '01002004010',
  ],
  ...[
    '12345::1',
    'g::1',
    '2000:0:0:0:0:0:0:0:1',
    '1:2:3:4:5:6:7',
    '::ffff:127.0.0.256',
    '::ffff:127.1',
    '::ffff:0x7f.1',
  ],
  ...[
    '::ffff:1.2.3.4.5',
    '2606:4700:4700::1111 ',
    'localhost',
    'example.com',
    'dead.beef',
    'null',
    'undefined',
  ],
];

const split = (text: string): string[] => text.trim().split(/\s+/);
const isPublicAddress = (text: string): boolean | null => {
  const address = readAddress(text);
  return address && isPublic(address);
};

test('the table has at least 300 forms, each once', () => {
  const forms = [...split(specialAddresses), ...split(publicAddresses), ...unreadable];
  expect(new Set(forms).size).toBe(forms.length);
  expect(forms.length).toBeGreaterThanOrEqual(300);
});

describe('an address of a special range is not public', () => {
  test.each(split(specialAddresses))('%s', (text) => {
    expect(isPublicAddress(text)).toBe(false);
  });
});

describe('an address beside a special range is public', () => {
  test.each(split(publicAddresses))('%s', (text) => {
    expect(isPublicAddress(text)).toBe(true);
  });
});

describe('ambiguous text is not an address', () => {
  test.each(unreadable.map((text) => [JSON.stringify(text), text]))('%s', (_shown, text) => {
    expect(isPublicAddress(text)).toBeNull();
  });
});

test('every first octet except the special ones has public addresses, and those have none', () => {
  const special = [0, 10, 127, ...Array.from({ length: 32 }, (_, index) => 224 + index)];
  for (let octet = 0; octet < 256; octet++) {
    expect([octet, isPublicAddress(`${octet}.1.77.77`)]).toEqual([octet, !special.includes(octet)]);
  }
});

test('an IPv4-mapped address is treated as its IPv4 address', () => {
  const address = readAddress('::ffff:127.0.0.1');
  expect(address && unmapped(address).toString()).toBe('127.0.0.1');
  expect(readUnmapped('::ffff:127.0.0.1')?.toString()).toBe('127.0.0.1');
  expect(readUnmapped('::1')?.toString()).toBe('::1');
  expect(readUnmapped('127.1')).toBeNull();
});

test('four parts are parsed as the library parses them, and nothing else is accepted', () => {
  const part = fc.oneof(
    fc.nat(300).map(String),
    fc.constantFrom('', '0', '00', '01', '255', '256', ' 1', '1e1'),
  );
  const parts = fc.array(part, { minLength: 3, maxLength: 5 }).map((all) => all.join('.'));
  fc.assert(
    fc.property(parts, (text) => {
      const isValid = ipaddr.IPv4.isValidFourPartDecimal(text);
      expect(readAddress(text)?.toString()).toBe(isValid ? ipaddr.IPv4.parse(text).toString() : undefined);
    }),
    { numRuns: 2_000 },
  );
});
