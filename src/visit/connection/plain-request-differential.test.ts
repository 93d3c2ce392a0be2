import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { browserHeaders } from '../../../bench/redirect/browser-headers.ts';
import { hintsChecksum } from '../../rules/agents/client-hints.ts';
import { headerEvidenceOf } from '../../rules/agents/header-evidence.ts';
import { type PlainRequest, readPlainRequest } from './plain-request.ts';

const refusedHeaders = ['content-length', 'transfer-encoding', 'expect', 'upgrade'];
const uniqueHeaders = [
  ...[
    'host',
    'connection',
    'user-agent',
    'accept-language',
    'referer',
    'dnt',
    'sec-gpc',
    'sec-ch-ua',
    'sec-ch-ua-mobile',
    'sec-ch-ua-platform',
  ],
  ...['sec-fetch-mode', 'sec-fetch-dest', 'x-forwarded-proto'],
  ...['x-forwarded-for', 'sec-purpose', 'purpose', 'x-moz', 'x-purpose'],
  ...['cf-ipcountry', 'x-vercel-ip-country', 'x-country-code'],
];

/** A reference parser: what `readPlainRequest` must return, computed in the way that is easiest to read. */
function parseByReference(text: string): PlainRequest | null {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0 || end > 8_192) return null;
  const [request = '', ...lines] = text.slice(0, end).split('\r\n');
  const first =
    /^(GET|HEAD) (\/[!$%&()*+,\-./0-9:;=@A-Z[\]_a-z~]*)(\?[!$%&()*+,\-./0-9:;=?@A-Z[\]_a-z~]*)? HTTP\/1\.([01])$/;
  const [, method, path, search, version] = first.exec(request) ?? [];
  if (method === undefined || path === undefined) return null;
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [, rawName, value] = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+): *([\x20-\x7e]*?) *$/.exec(line) ?? [];
    const name = rawName?.toLowerCase();
    if (name === undefined || value === undefined || refusedHeaders.includes(name)) return null;
    if (uniqueHeaders.includes(name) && headers.has(name)) return null;
    headers.set(name, value);
  }
  const get = (name: string) => headers.get(name) ?? null;
  const host = get('host');
  const connectionHeader = get('connection')?.toLowerCase() ?? null;
  if (
    host === null ||
    (connectionHeader !== null &&
      connectionHeader !== 'close' &&
      (connectionHeader !== 'keep-alive' || version === '0'))
  )
    return null;
  const userAgent = get('user-agent');
  return {
    method: method === 'GET' ? 'GET' : 'HEAD',
    path,
    search: search ?? '',
    host,
    userAgent,
    acceptLanguage: get('accept-language') ?? '',
    clientHints: hintsChecksum({
      brands: get('sec-ch-ua'),
      mobile: get('sec-ch-ua-mobile'),
      platform: get('sec-ch-ua-platform'),
    }),
    referer: get('referer') ?? '',
    purpose:
      get('sec-purpose') ??
      get('purpose') ??
      get(userAgent?.includes('Firefox/') ? 'x-moz' : 'x-purpose') ??
      '',
    doNotTrack: get('dnt') === '1' || get('sec-gpc') === '1',
    platformHint: get('sec-ch-ua-platform'),
    headerEvidence: headerEvidenceOf({
      mode: get('sec-fetch-mode'),
      destination: get('sec-fetch-dest'),
      platform: get('sec-ch-ua-platform'),
      forwardedProto: get('x-forwarded-proto'),
    }),
    forwardedFor: get('x-forwarded-for'),
    countryHint: get('cf-ipcountry') ?? get('x-vercel-ip-country') ?? get('x-country-code') ?? '',
    closes: connectionHeader === 'close' || version === '0',
    end: end + 4,
  };
}

function expectSameResult(text: string): void {
  const found = JSON.stringify(readPlainRequest(Buffer.from(text, 'latin1'), 0));
  const expected = JSON.stringify(parseByReference(text));
  if (found !== expected) expect({ text, found }).toEqual({ text, found: expected });
}

const lines = Object.entries(browserHeaders).map(([name, value]) => `${name}: ${value}\r\n`);
const visit = `GET /abc?utm_source=x HTTP/1.1\r\nHost: links.example:3000\r\n${lines.join('')}DNT: 1\r\nConnection: keep-alive\r\n\r\n`;
const bytes = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code));

test('a visit with any byte replaced by any other is parsed as by the reference parser', () => {
  for (const index of [...visit].keys())
    for (const [code, byte] of bytes.entries()) {
      // Of the bytes beyond ASCII, which are refused everywhere, an eighth at each position, in turn.
      if (code >= 128 && code % 8 !== index % 8) continue;
      expectSameResult(visit.slice(0, index) + byte + visit.slice(index + 1));
    }
});

test('a visit with a byte inserted or removed at any position is parsed as by the reference parser', () => {
  for (const index of [...visit].keys()) {
    expectSameResult(visit.slice(0, index) + visit.slice(index + 1));
    for (const byte of '\0\t\n\r :?A-~\x7f\x80\xff')
      expectSameResult(visit.slice(0, index) + byte + visit.slice(index));
  }
});

const anyName = fc
  .tuple(
    fc.constantFrom(
      ...uniqueHeaders,
      ...uniqueHeaders,
      ...refusedHeaders,
      'accept',
      'x-real-ip',
      'sec-fetch-site',
      'sec-fetch-user',
      'x!#$1',
    ),
    fc.boolean(),
  )
  .map(([name, isUpperCase]) => (isUpperCase ? name.toUpperCase() : name));
const anyValue = fc.oneof(
  fc.constantFrom(
    '',
    ' 1',
    '0',
    ' close',
    ' Keep-Alive ',
    '  DE  ',
    'Mozilla/5.0 Firefox/140.0',
    'navigate',
    'cors',
    'image',
    'https',
  ),
  fc.string({ unit: 'grapheme-ascii', maxLength: 40 }),
  fc.string({ unit: 'binary-ascii', maxLength: 8 }),
);
const anyRequest = fc
  .tuple(
    fc.constantFrom('GET', 'HEAD', 'POST', 'get'),
    fc.constantFrom('/', '/a/b', '/a%20b?c=d?e', '/ä', 'http://h/a', '/?', "/a?'"),
    fc.constantFrom('1.1', '1.1', '1.0', '2.0'),
    fc.array(fc.tuple(anyName, anyValue), { maxLength: 12 }),
  )
  .map(
    ([method, target, version, headers]) =>
      `${method} ${target} HTTP/${version}\r\nHost: h\r\n${headers.map(([name, value]) => `${name}:${value}\r\n`).join('')}\r\n`,
  );

test('any headers in any order are parsed as by the reference parser', () => {
  fc.assert(
    fc.property(anyRequest, (text) => {
      expectSameResult(text);
      expectSameResult(`${text}${visit}`);
    }),
    { numRuns: 3_000 },
  );
});

test('a head is parsed up to the maximum length, and not beyond', () => {
  const withHead = (length: number) => {
    const text = `GET / HTTP/1.1\r\nHost: h\r\nX: \r\n\r\n`;
    return text.replace('X: ', `X: ${'x'.repeat(length - text.length + 4)}`);
  };
  expect(parseByReference(withHead(8_192))?.end).toBe(8_196);
  for (let length = 8_180; length < 8_210; length++) {
    expectSameResult(withHead(length));
    expectSameResult(withHead(length) + visit);
    expectSameResult(withHead(length).slice(0, -2));
  }
});

test('bytes after the received ones are not part of the request, in memory or not', () => {
  for (let offset = 0; offset < 4; offset++) {
    const memory = Buffer.from(new ArrayBuffer(64 * 1024));
    memory.write(visit, offset, 'latin1');
    for (const cut of [...visit].keys()) {
      // Reads the whole request first: its bytes must not complete the truncated one.
      const whole = memory.subarray(offset, offset + visit.length);
      expect(readPlainRequest(whole, 0)?.end).toBe(visit.length);
      const received = memory.subarray(offset, offset + cut);
      expect(readPlainRequest(received, 0)).toBe(null);
    }
  }
});

test('bytes before the request are not part of it', () => {
  const text = `${visit}${visit}`;
  const received = Buffer.from(text, 'latin1');
  expect(readPlainRequest(received, visit.length)).toEqual({
    ...(parseByReference(visit) as PlainRequest),
    end: text.length,
  });
  for (const cut of [...visit].keys()) {
    const end = visit.length + cut;
    expect(readPlainRequest(received.subarray(0, end), visit.length)).toBe(null);
  }
});
