import { describe, expect, test } from 'bun:test';
import { hintsChecksum } from '../../rules/agents/client-hints.ts';
import { readPlainRequest } from './plain-request.ts';

const read = (text: string, at = 0) => readPlainRequest(Buffer.from(text, 'latin1'), at);
const get = (headers: string, target = '/abc') => `GET ${target} HTTP/1.1\r\nHost: h\r\n${headers}\r\n`;

test('a visit is parsed with names in any case and spaces around values', () => {
  const text = get(
    'USER-AGENT:Mozilla/5.0 (X11)\r\nAccept: */*\r\naccept-language: \t de \r\nReferer:  https://a.example/x \r\nDNT: 1\r\n' +
      'Sec-CH-UA-Platform: "Android"\r\nSec-Fetch-Site: none\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-User: ?1\r\nSec-Fetch-Dest: document\r\nX-Forwarded-Proto: https\r\nX-Forwarded-For: 1.2.3.4, 5.6.7.8\r\nCF-IPCountry: NL\r\nConnection: Keep-Alive\r\n',
    '/abc/?a=1&b=%20?c',
  ).replaceAll('\t', ' ');
  expect(read(text)).toEqual({
    method: 'GET',
    path: '/abc/',
    search: '?a=1&b=%20?c',
    host: 'h',
    userAgent: 'Mozilla/5.0 (X11)',
    acceptLanguage: 'de',
    referer: 'https://a.example/x',
    purpose: '',
    doNotTrack: true,
    platformHint: '"Android"',
    clientHints: hintsChecksum({ brands: null, mobile: null, platform: '"Android"' }),
    headerEvidence: 'none',
    forwardedFor: '1.2.3.4, 5.6.7.8',
    countryHint: 'NL',
    closes: false,
    end: text.length,
  });
});

test('missing headers are empty, or null where that makes a difference', () => {
  expect(read('HEAD / HTTP/1.1\r\nhost:\r\n\r\n')).toMatchObject({
    method: 'HEAD',
    path: '/',
    search: '',
    host: '',
    userAgent: null,
    acceptLanguage: '',
    referer: '',
    doNotTrack: false,
    platformHint: null,
    clientHints: 0,
    headerEvidence: 'none',
    forwardedFor: null,
    countryHint: '',
  });
});

test('a request for a part of a page is marked', () => {
  const headerEvidence = (headers: string) => read(get(headers))?.headerEvidence;
  expect(headerEvidence('Sec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: image\r\n')).toBe('not_navigation');
  expect(headerEvidence('Sec-Fetch-Dest: image\r\nSec-Fetch-Mode:  navigate \r\n')).toBe('none');
  expect(headerEvidence('sec-fetch-dest: script\r\n')).toBe('not_navigation');
  expect(headerEvidence('X-Forwarded-Proto: https\r\n')).toBe('no_browser_headers');
  expect(headerEvidence('X-Forwarded-Proto: https\r\nSec-Fetch-Mode: navigate\r\n')).toBe('none');
});

test('of several headers with the same meaning, the standard one counts', () => {
  const purpose = (headers: string) => read(get(headers))?.purpose;
  expect(purpose('Purpose: b\r\nSec-Purpose: a\r\n')).toBe('a');
  expect(purpose('X-Purpose: c\r\nPurpose: b\r\n')).toBe('b');
  expect(purpose('X-Purpose: c\r\nX-Moz: d\r\n')).toBe('c');
  expect(purpose('X-Purpose: c\r\nX-Moz: d\r\nUser-Agent: Firefox/1\r\n')).toBe('d');
  expect(read(get('X-Country-Code: DE\r\nX-Vercel-IP-Country: FR\r\n'))?.countryHint).toBe('FR');
});

test('a connection closes after the response if the client requests it, or uses HTTP/1.0', () => {
  expect(read(get('Connection: Close\r\n'))?.closes).toBe(true);
  expect(read('GET /abc HTTP/1.0\r\nHost: h\r\n\r\n')?.closes).toBe(true);
  expect(read(get('Connection: keep-alive\r\n'))?.closes).toBe(false);
});

test('pipelined requests are parsed one by one', () => {
  const text = get('', '/one') + get('', '/two');
  const first = read(text);
  expect(first?.path).toBe('/one');
  expect(read(text, first?.end)?.path).toBe('/two');
  expect(read(text, first?.end)?.end).toBe(text.length);
});

test('a request is only parsed when it is complete', () => {
  const text = get('User-Agent: x\r\n');
  for (let length = 0; length < text.length; length++) expect(read(text.slice(0, length))).toBe(null);
});

describe('left to the full parser', () => {
  test.each([
    ['another method', 'POST /abc HTTP/1.1\r\nHost: h\r\n\r\n'],
    ['a method in small letters', 'get /abc HTTP/1.1\r\nHost: h\r\n\r\n'],
    ['another version', 'GET /abc HTTP/2.0\r\nHost: h\r\n\r\n'],
    [
      'an HTTP/1.0 client that keeps its connection',
      'GET /abc HTTP/1.0\r\nHost: h\r\nConnection: Keep-Alive\r\n\r\n',
    ],
    ['two Connection headers', get('Connection: close\r\nConnection: keep-alive\r\n')],
    ['a whole URL', 'GET http://h/abc HTTP/1.1\r\nHost: h\r\n\r\n'],
    ['two spaces', 'GET  /abc HTTP/1.1\r\nHost: h\r\n\r\n'],
    ['no Host', 'GET /abc HTTP/1.1\r\nUser-Agent: x\r\n\r\n'],
    ['two Hosts', get('Host: h\r\n')],
    ['a body', get('Content-Length: 3\r\n')],
    ['a body of length zero', get('Content-Length: 0\r\n')],
    ['a body in chunks', get('Transfer-Encoding: chunked\r\n')],
    ['an Upgrade header', get('Upgrade: websocket\r\n')],
    ['an Expect header', get('Expect: 100-continue\r\n')],
    ['a Connection header with Upgrade', get('Connection: keep-alive, Upgrade\r\n')],
    ['a header given twice', get('User-Agent: a\r\nuser-agent: b\r\n')],
    ['a referrer given twice', get('Referer: a\r\nReferer: b\r\n')],
    ['two forwarding headers', get('X-Forwarded-For: 1.2.3.4\r\nX-Forwarded-For: 1.2.3.4\r\n')],
    ['DNT given twice', get('DNT: 0\r\nDNT: 1\r\n')],
    ['two purposes', get('Sec-Purpose: a\r\nSec-Purpose: b\r\n')],
    ['a folded line', get('User-Agent: a\r\n b\r\n')],
    ['a space before the colon', get('Content-Length : 3\r\n')],
    ['a line without a colon', get('nothing\r\n')],
    ['a line without a name', get(': nothing\r\n')],
    ['a bare line feed', get('X: a\nContent-Length: 3\r\n')],
    ['a bare carriage return', get('X: a\rContent-Length: 3\r\n')],
    ['a NUL', get('X: a\0\r\n')],
    ['a tab inside', get('X: a\tb\r\n')],
    ['a character beyond ASCII', get('User-Agent: caf\xe9\r\n')],
    ['a character beyond ASCII in the target', get('', '/caf\xe9')],
    ['a fragment', get('', '/abc#x')],
    ['a backslash', get('', '/\\abc')],
    ['a quote', get('', "/abc?'")],
    ['a very long header', get(`X: ${'x'.repeat(9_000)}\r\n`)],
  ])('%s', (_, text) => {
    expect(read(text)).toBe(null);
  });
});
