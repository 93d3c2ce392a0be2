import { describe, expect, test } from 'bun:test';
import { growth } from '../../../test/support/growth.ts';
import { isGarbled, readHead } from './request-head.ts';

const text = (head: string) => {
  const read = readHead(head);
  return typeof read === 'number' ? read : read.text;
};

test('a header of many blanks takes time in proportion to its length', () => {
  const head = (length: number) => `GET /a HTTP/1.1\r\nHost: h\r\nx: a${' '.repeat(length)}a`;
  expect(growth(head, (text) => readHead(text))).toBeLessThan(4);
});

test('blanks around a value are no part of it, and a no-break space is', () => {
  expect(readHead('GET /a HTTP/1.1\r\nHost: \t h:1 \t')).toMatchObject({
    text: 'GET /a HTTP/1.1\r\nHost: h:1\r\n\r\n',
  });
  expect(readHead('POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 3\xa0')).toBe(400);
});

test('hop-by-hop headers are removed, and the rest is forwarded unchanged', () => {
  const head = readHead(
    'POST /a?b HTTP/1.1\r\nX-One:  1 \r\nhost: h:1\r\nConnection: keep-alive, Upgrade\r\nUpgrade: h2c\r\nKeep-Alive: 5\r\nTE: trailers\r\nContent-Length: 03\r\nX-Two: \xe9',
  );
  expect(head).toMatchObject({
    method: 'POST',
    text: 'POST /a?b HTTP/1.1\r\nHost: h:1\r\nContent-Length: 3\r\nX-One:  1 \r\nX-Two: \xe9\r\n\r\n',
    body: 3,
    closes: false,
    expectsContinue: false,
  });
});

test('the authority of an absolute target takes precedence over Host', () => {
  expect(text('GET http://other:80/x?y HTTP/1.1\r\nHost: a')).toBe(
    'GET /x?y HTTP/1.1\r\nHost: other:80\r\n\r\n',
  );
  expect(text('GET HTTPS://other HTTP/1.1\r\nHost: a')).toBe('GET / HTTP/1.1\r\nHost: other\r\n\r\n');
  expect(text('GET http://other?y HTTP/1.1\r\nHost: a')).toBe('GET /?y HTTP/1.1\r\nHost: other\r\n\r\n');
});

test('chunked encoding is announced in one way', () => {
  expect(readHead('PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding:\tChunked ')).toMatchObject({
    text: 'PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n',
    body: 'chunked',
  });
});

test('a connection closes after the response if the client requests it, or uses HTTP/1.0', () => {
  const closes = (head: string) => (readHead(head) as { closes: boolean }).closes;
  expect(closes('GET / HTTP/1.1\r\nHost: h\r\nConnection: TE, Close')).toBe(true);
  expect(closes('GET / HTTP/1.1\r\nHost: h\r\nConnection: closed')).toBe(false);
  expect(closes('GET / HTTP/1.0\r\nHost: h')).toBe(true);
});

test('an Expect header only applies to a request with a body', () => {
  const expects = (lines: string, version = '1.1') =>
    (readHead(`POST / HTTP/${version}\r\nHost: h\r\n${lines}`) as { expectsContinue: boolean })
      .expectsContinue;
  expect(expects('Expect: 100-Continue\r\nContent-Length: 3')).toBe(true);
  expect(expects('Expect: 100-continue')).toBe(false);
  expect(expects('Expect: something\r\nContent-Length: 3')).toBe(false);
  expect(expects('Expect: 100-continue\r\nContent-Length: 3', '1.0')).toBe(false);
});

test('an HTTP/1.0 client may omit Host', () => {
  expect(text('GET /healthz HTTP/1.0\r\nX: y')).toBe(
    'GET /healthz HTTP/1.0\r\nConnection: close\r\nX: y\r\n\r\n',
  );
});

describe('a bare line break or a control character is malformed', () => {
  test.each([
    ['GET / HTTP/1.1\r\nX: a\tb\xe9\r', false],
    ['\n', true],
    ['a\nb', true],
    ['a\rb', true],
    ['a\r\rb', true],
    ['a\0', true],
    ['a\x7f', true],
  ])('%j', (sent, expected) => {
    expect(isGarbled(sent, 0)).toBe(expected);
    for (let cut = 1; cut < sent.length; cut++)
      expect(isGarbled(sent.slice(0, cut), 0) || isGarbled(sent.slice(cut - 1), 1)).toBe(expected);
  });
});
