import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { parseAllowList } from '../rules/webhook-allow.ts';
import { checkTarget, resolveTarget } from './target-guard.ts';

const nothingAllowed = parseAllowList('none') ?? [];
const allowing = (text: string) => parseAllowList(text) ?? [];
const sentenceOf = (text: string, allowed = nothingAllowed): string | null => {
  const target = checkTarget(text, allowed);
  return target.ok ? null : target.sentence;
};

const internalAddresses = [
  '0.0.0.0',
  '10.1.2.3',
  '100.100.100.200',
  '127.0.0.1',
  '127.8.9.10',
  '168.63.129.16',
  '169.254.169.254',
  '172.17.0.1',
  '192.0.0.192',
  '192.168.1.1',
  '198.18.0.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
];

/** Forms of one IPv4 address in the host of a URL, also embedded in IPv6. */
function formsOf(address: string): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  const number = ((a * 256 + b) * 256 + c) * 256 + d;
  const hex = (value: number) => `0x${value.toString(16)}`;
  const octal = (value: number) => `0${value.toString(8)}`;
  const [high, low] = [(a * 256 + b).toString(16), (c * 256 + d).toString(16)];
  return [
    address,
    `${address}.`,
    String(number),
    hex(number),
    octal(number),
    `000000${octal(number)}`,
    [a, b, c, d].map(hex).join('.'),
    [a, b, c, d].map(octal).join('.'),
    `${hex(a).toUpperCase()}.${octal(b)}.${c}.${d}`,
    `${a}.${(b * 256 + c) * 256 + d}`,
    `${a}.${b}.${c * 256 + d}`,
    `${octal(a)}.${hex((b * 256 + c) * 256 + d)}`,
    [...address].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join(''),
    address.replaceAll('.', '。'),
    address.replaceAll('.', '%E3%80%82'),
    address.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    address.replaceAll(/\d/g, (digit) => String.fromCodePoint(0x1d7ce + Number(digit))),
    `${address.slice(0, 2)}\u00ad${address.slice(2)}`,
    `[::ffff:${address}]`,
    `[::ffff:${high}:${low}]`,
    `[0:0:0:0:0:FFFF:${high}:${low}]`,
    `[::${address}]`,
    `[::ffff:0:${address}]`,
    `[64:ff9b::${address}]`,
    `[64:ff9b:1::${address}]`,
    `[2002:${high}:${low}::]`,
    `[2001:0:${high}:${low}::]`,
    `[fe80::5efe:${address}]`,
  ];
}

const internalHosts = [
  ...[
    'localhost',
    'LOCALHOST',
    'localhost.',
    'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
    'a.localhost',
    'a.b.LocalHost.',
    'localhost.localdomain',
  ],
  ...['metadata', 'redis', 'intranet', 'metadata.google.internal', 'metadata.google.internal.', 'x.INTERNAL'],
  ...[
    'printer.local',
    'a.b.local',
    'nas.lan',
    'nas.home',
    'router.home.arpa',
    'wiki.corp',
    'a.private',
    'a.intranet',
  ],
  ...[
    '[::]',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[0000:0000::0001]',
    '[::7f00:1]',
    '[fe80::1]',
    '[fc00::1]',
    '[ff02::1]',
  ],
  ...[
    '[fd00:ec2::254]',
    '[fd20:ce::254]',
    '[2001:db8::1]',
    '[3fff::1]',
    '[2001::1]',
    '[100::1]',
    '[5f00::1]',
    '[4000::]',
  ],
  ...[
    '127.1',
    '127.0.1',
    '127.65535',
    '0',
    '0.0',
    '1',
    '0x',
    '0x.0x.0',
    '00',
    '10.1',
    '192.168.257',
    '169.254.43518',
  ],
];

const invalidHosts = [
  ...[
    '256.1.1.1',
    '1.2.3.4.5',
    '08.8.8.8',
    '127.0.0.1%00',
    '127.0.0.0x100',
    '4294967296',
    '0x100000000',
    '1.1.1.-1',
  ],
  ...[
    '[fe80::1%eth0]',
    '[fe80::1%25eth0]',
    '[::1]%eth0',
    '[::1',
    '::1',
    '[::ffff:127.1]',
    '[1::2::3]',
    '[127.0.0.1]',
  ],
  ...[
    'a..b.com',
    '.example.com',
    'example.com..',
    'localhost..',
    '*.example.com',
    'exa mple.com',
    'a,b.com',
    "a'b.com",
  ],
  ...[
    `${'x'.repeat(64)}.com`,
    `${'x.'.repeat(130)}com`,
    '',
    '%00',
    'a_b!.com',
    'example.com:99999',
    'example.com:-1',
  ],
];

describe('a target with an internal address in its text is refused', () => {
  const hosts = [...new Set([...internalHosts, ...internalAddresses.flatMap(formsOf)])];

  test('in at least 300 forms', () => {
    expect(hosts.length).toBeGreaterThanOrEqual(300);
  });

  test.each(hosts)('http://%s', (host) => {
    for (const url of [
      `http://${host}/`,
      `https://${host}/hook`,
      `http://${host}:80`,
      `https://${host}:443/?a`,
    ]) {
      expect(sentenceOf(url)).toContain('is not a public address');
    }
  });
});

describe('a target without a valid host is refused', () => {
  test.each(invalidHosts)('http://%s', (host) => {
    expect(sentenceOf(`http://${host}/`)).not.toBeNull();
  });
});

test.each([
  'https://example.com/hook',
  'http://example.com',
  'https://example.com:443/x?y=z#w',
  'http://example.com:80/',
  'HTTPS://EXAMPLE.COM./',
  'https://hooks.zapier.com/hooks/standard/1/abc/',
  'https://bücher.example/päth?ü=1',
  'https://a_b.example.com/',
  'https://xn--nxasmq6b.example/',
  'https://1.1.1.1/',
  'https://[2606:4700:4700::1111]/',
  'https://local.example.com/',
  'https://internal.example/',
  'https://mylocalhost.com/',
  'https://notinternal.notlocal/',
])('%s is a valid target', (text) => {
  expect(checkTarget(text, nothingAllowed)).toMatchObject({ ok: true });
});

test.each([
  ['ftp://example.com/', 'not to "ftp:"'],
  ['javascript:alert(1)', 'not to "javascript:"'],
  ['file:///etc/passwd', 'not to "file:"'],
  ['gopher://example.com:70/_x', 'not to "gopher:"'],
  ['data:text/plain,x', 'not to "data:"'],
  ['example.com/hook', 'not a web address'],
  ['//example.com/', 'not a web address'],
  ['', 'not a web address'],
  ['http://', 'not a web address'],
  ['https://user@example.com/', 'must not contain a user name'],
  ['https://user:secret@example.com/', 'must not contain a user name'],
  ['https://:secret@example.com/', 'must not contain a user name'],
  ['https://example.com@127.0.0.1/', 'must not contain a user name'],
  ['https://example.com\r\nhost: x', 'no line breaks'],
  ['https://exam\tple.com/', 'no line breaks'],
  ['https://example.com/\u0000', 'control characters'],
  ['https://example.com/\ud800', 'control characters'],
  ['https://example.com:8443/', 'not to 8443'],
  ['http://example.com:22/', 'not to 22'],
  ['http://example.com:0/', 'not to 0'],
  ['https://1.1.1.1:6379/', 'not to 6379'],
  [`https://example.com/${'a'.repeat(2029)}`, 'at most 2048'],
  [`https://example.com/${'ü'.repeat(700)}`, 'at most 2048'],
])('%j is refused with a message', (text, part) => {
  expect(sentenceOf(text)).toContain(part);
});

test('a target of exactly 2048 characters passes', () => {
  expect(sentenceOf(`https://example.com/${'a'.repeat(2028)}`)).toBeNull();
});

test('for any input the check returns and never throws', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl({ withQueryParameters: true })), (text) => {
      const target = checkTarget(text, nothingAllowed);
      expect(target.ok ? target.url.href.length <= 2048 : target.sentence.endsWith('.')).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

describe('targets permitted by the operator pass the check', () => {
  test.each([
    ['n8n.internal', 'http://n8n.internal:5678/webhook'],
    ['n8n.internal', 'http://N8N.internal./'],
    ['n8n:5678', 'http://n8n:5678/webhook'],
    ['10.0.0.5', 'http://10.0.0.5:9000/'],
    ['10.0.0.5:9000', 'http://0xa000005:9000/'],
    ['10.0.0.0/8', 'https://10.255.0.1/'],
    ['10.0.0.0/8', 'http://n8n.internal:5678/'],
    ['[fd00::1]:80', 'http://[fd00::1]/'],
    ['fd00::/8', 'http://[fd12::1]:8080/'],
    ['127.0.0.0/8', 'http://[::ffff:127.0.0.1]/'],
    ['hooks.example.com:8443', 'https://hooks.example.com:8443/'],
  ])('WEBHOOK_ALLOW=%s: %s', (setting, url) => {
    expect(sentenceOf(url, allowing(setting))).toBeNull();
  });

  test.each([
    ['n8n:5678', 'http://n8n/'],
    ['n8n.internal', 'http://x.n8n.internal/'],
    ['10.0.0.5:9000', 'http://10.0.0.5/'],
    ['10.0.0.0/8', 'http://11.0.0.1:8080/'],
    ['10.0.0.0/8', 'http://192.168.1.1/'],
    ['::1', 'http://127.0.0.1/'],
    ['hooks.example.com:8443', 'https://hooks.example.com:8444/'],
  ])('and nothing else: WEBHOOK_ALLOW=%s: %s', (setting, url) => {
    expect(sentenceOf(url, allowing(setting))).not.toBeNull();
  });
});

describe('a name is only called at checked addresses', () => {
  const resolving = (...addresses: string[]) => {
    const queried: string[] = [];
    const resolver = async (name: string) => {
      queried.push(name);
      return addresses;
    };
    return { queried, resolver };
  };
  const resolve = async (addresses: string[], allowed = nothingAllowed, port = 443) => {
    const found = await resolveTarget('hooks.example.com', port, resolving(...addresses).resolver, allowed);
    return found.kind === 'checked' ? found.addresses.map(String) : found.kind;
  };

  test('public ones keep their order', async () => {
    expect(await resolve(['93.184.215.14', '2606:4700::1', '1.1.1.1'])).toEqual([
      '93.184.215.14',
      '2606:4700::1',
      '1.1.1.1',
    ]);
  });

  test.each([
    [['127.0.0.1']],
    [['93.184.215.14', '127.0.0.1']],
    [['10.0.0.1', '93.184.215.14']],
    [['93.184.215.14', '::1']],
    [['2606:4700::1', 'fd00::1', '93.184.215.14']],
    [['93.184.215.14', '::ffff:127.0.0.1']],
    [['93.184.215.14', '::ffff:93.184.215.14']],
    [['93.184.215.14', '64:ff9b::5db8:d70e']],
    [['2606:4700::1%eth0']],
    [['93.184.215.14', '0177.0.0.1']],
    [['2130706433']],
    [['localhost']],
    [['']],
  ])('%j is refused', async (addresses) => {
    expect(await resolve(addresses)).toBe('refused');
  });

  test('a permitted network and public addresses may be mixed', async () => {
    const addresses = ['10.0.0.5', '93.184.215.14'];
    expect(await resolve(addresses, allowing('10.0.0.0/8'))).toEqual(addresses);
    expect(await resolve([...addresses, '192.168.0.1'], allowing('10.0.0.0/8'))).toBe('refused');
  });

  test('another port needs a permission for each address', async () => {
    expect(await resolve(['93.184.215.14'], nothingAllowed, 8443)).toBe('refused');
    expect(await resolve(['93.184.215.14'], allowing('93.184.215.14:8443'), 8443)).toEqual(['93.184.215.14']);
    expect(await resolve(['93.184.215.14', '93.184.215.15'], allowing('93.184.215.14:8443'), 8443)).toBe(
      'refused',
    );
  });

  test('a permitted mapped address is called as the IPv4 address that it is', async () => {
    expect(await resolve(['::ffff:10.0.0.5'], allowing('10.0.0.5'))).toEqual(['10.0.0.5']);
  });

  test('an address in the URL is not resolved', async () => {
    const { queried, resolver } = resolving('127.0.0.1');
    const found = await resolveTarget('[2606:4700:4700::1111]', 443, resolver, nothingAllowed);
    expect(found.kind === 'checked' && found.addresses.map(String)).toEqual(['2606:4700:4700::1111']);
    expect(queried).toEqual([]);
  });

  test('a name is resolved once, in lower case and without the dot of the root', async () => {
    const { queried, resolver } = resolving('1.1.1.1');
    await resolveTarget('Hooks.Example.com.', 443, resolver, nothingAllowed);
    expect(queried).toEqual(['hooks.example.com']);
  });

  test('a name that fails or has no address is reported as such', async () => {
    const failing = () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }));
    expect(await resolveTarget('gone.example.com', 443, failing, nothingAllowed)).toEqual({
      kind: 'unresolved',
      sentence: 'The name "gone.example.com" could not be resolved (ENOTFOUND).',
    });
    expect(await resolveTarget('empty.example.com', 443, async () => [], nothingAllowed)).toEqual({
      kind: 'unresolved',
      sentence: 'The name "empty.example.com" has no address.',
    });
  });
});
