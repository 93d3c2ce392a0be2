import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { Refusal } from '../errors.ts';
import { isApex, readDomainName } from './domain-name.ts';

const ours = ['links.example.com', 'lb.example.net'];
const read = (text: string): string | Refusal => {
  try {
    return readDomainName(text, ours);
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    return cause;
  }
};
const hostOf = (text: string): string | null => {
  const found = read(text);
  return found instanceof Refusal ? null : found;
};
const codeOf = (text: string): string | null => {
  const found = read(text);
  return found instanceof Refusal ? found.code : null;
};

test.each([
  ['go.example.org', 'go.example.org'],
  ['  GO.Example.ORG. ', 'go.example.org'],
  ['https://go.example.org', 'go.example.org'],
  ['HTTP://go.example.org/', 'go.example.org'],
  ['go.example.org/', 'go.example.org'],
  ['bücher.de', 'xn--bcher-kva.de'],
  ['BÜCHER.de', 'xn--bcher-kva.de'],
  ['xn--bcher-kva.de', 'xn--bcher-kva.de'],
  ['例え。jp', 'xn--r8jz45g.jp'],
  ['example.com', 'example.com'],
  ['mylinks.example.com', 'mylinks.example.com'],
  ['notlinks.example.com', 'notlinks.example.com'],
  ['me.github.io', 'me.github.io'],
  ['a-b.c-d.co.uk', 'a-b.c-d.co.uk'],
  [`${'a'.repeat(63)}.example.org`, `${'a'.repeat(63)}.example.org`],
])('%s is %s', (input, host) => {
  expect(hostOf(input)).toBe(host);
});

test.each([
  [
    "the service's own name or a subdomain of it",
    'DOMAIN_RESERVED',
    [
      'links.example.com',
      'a.links.example.com',
      'LINKS.example.com.',
      'x.lb.example.net',
      'links。example。com',
    ],
  ],
  [
    'a name that is reserved for local or special use',
    'DOMAIN_RESERVED',
    [
      'localhost',
      'a.localhost',
      'b.local',
      'c.internal',
      'd.test',
      'e.example',
      'f.invalid',
      'g.home.arpa',
      'h.onion',
      'i.lan',
    ],
  ],
  ['a public suffix', 'DOMAIN_RESERVED', ['co.uk', 'com.au', 'github.io', 's3.amazonaws.com']],
  ['no name, or a name without a dot', 'DOMAIN_INVALID', ['', ' ', '/', 'https://', 'com', 'single', 'рф']],
  [
    'an IP address',
    'DOMAIN_INVALID',
    [
      '127.0.0.1',
      '1.2.3',
      '0x7f.1',
      '2130706433',
      '1.2.3.4.',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '::1',
      '１２７.0.0.1',
    ],
  ],
  [
    'a name with a port, a path, a query, a fragment or a user',
    'DOMAIN_INVALID',
    [
      'a.org:80',
      'a.org:',
      'a.org/x',
      'a.org?x',
      'a.org#x',
      'a.org\\x',
      'me@a.org',
      'u:p@a.org',
      'https://a.org//',
    ],
  ],
  [
    'another scheme',
    'DOMAIN_INVALID',
    ['ftp://a.org', 'javascript://a.org', 'file:///a.org', 'javascript:a.org'],
  ],
  [
    'a name with invalid characters or labels',
    'DOMAIN_INVALID',
    [
      'a b.org',
      'a\tb.org',
      'a\u0000.org',
      'a\u200b.org',
      'a\u00ad.org',
      'a%2eb.org',
      'a..org',
      '.a.org',
      '-a.org',
      'a-.org',
      'a_b.org',
      '*.a.org',
      'a!.org',
    ],
  ],
  [
    'a name with invalid Punycode, an overlong label or invalid Unicode',
    'DOMAIN_INVALID',
    ['xn--a.org', 'xn--.org', 'xn--bcher-kva-.org', `${'a'.repeat(64)}.org`, '\ud800.org', '\u202ea.org'],
  ],
  [
    'a name that is too long',
    'FIELD_TOO_LONG',
    [`${'a.'.repeat(130)}org`, `${'abcdefg.'.repeat(30)}example.org`, 'x'.repeat(100_000)],
  ],
] as const)('%s is refused', (_, code, names) => {
  for (const name of names) expect([name, codeOf(name)]).toEqual([name, code]);
});

test('any accepted name is valid in a Host header and in the DNS, and is parsed to itself', () => {
  const label = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.string({ unit: 'binary', maxLength: 8 }),
  );
  const name = fc.array(label, { minLength: 1, maxLength: 5 }).map((labels) => `${labels.join('.')}.org`);
  let accepted = 0;
  fc.assert(
    fc.property(fc.oneof(name, fc.string({ unit: 'binary' }), fc.webUrl(), fc.domain()), (text) => {
      const host = read(text);
      if (host instanceof Refusal) {
        expect(host.field).toBe('domain');
        return;
      }
      accepted++;
      expect(host).toMatch(/^(?=.{4,245}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/);
      expect(hostOf(host)).toBe(host);
    }),
    { numRuns: 10_000 },
  );
  expect(accepted).toBeGreaterThan(1_000);
});

test('an invisible character is named', () => {
  expect(() => readDomainName('go.example.org\u200b', ours)).toThrow(
    'a zero-width space, after ".example.org"',
  );
});

test('an apex is the registered domain', () => {
  for (const [host, expected] of [
    ['example.org', true],
    ['go.example.org', false],
    ['example.co.uk', true],
    ['www.example.co.uk', false],
    ['me.github.io', true],
  ] as const)
    expect([host, isApex(host)]).toEqual([host, expected]);
});
