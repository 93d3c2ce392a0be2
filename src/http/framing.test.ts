import { describe, expect, test } from 'bun:test';
import { answerLength, framingOf } from './framing.ts';

const framing = (text: string) => framingOf(Buffer.from(text, 'latin1'));

describe('a request', () => {
  test('reaches to its empty line, and by its length further', () => {
    const head = 'GET /x HTTP/1.1\r\nHost: h\r\nCookie: a=b\r\n\r\n';
    expect(framing(head)).toEqual({ method: 'GET', length: head.length });
    expect(framing(`${head}GET /y`)).toEqual({ method: 'GET', length: head.length });
    const post = 'POST /x HTTP/1.1\r\nHost: h\r\ncontent-length:  12 \r\n\r\n';
    expect(framing(post)).toEqual({ method: 'POST', length: post.length + 12 });
    expect(framing(`${post}twelve bytes`)).toEqual({ method: 'POST', length: post.length + 12 });
  });

  test.each([
    'GET /x HTTP/1.1\r\nHost: h\r\n',
    'GET /x HTTP/1.0\r\nHost: h\r\n\r\n',
    'CONNECT h:1 HTTP/1.1\r\nHost: h\r\n\r\n',
    'POST /x HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n',
    'POST /x HTTP/1.1\r\nContent-Length: -1\r\n\r\n',
    'POST /x HTTP/1.1\r\nContent-Length: 1, 1\r\n\r\n',
    'POST /x HTTP/1.1\r\nContent-Length : 1\r\n\r\n',
    'POST /x HTTP/1.1\r\nContent-Length: 99999999999999\r\n\r\n',
    'POST /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n',
    'POST /x HTTP/1.1\r\nX: a\nContent-Length: 1\r\n\r\n',
    'POST /x HTTP/1.1\r\nX: a\r\n Content-Length: 1\r\n\r\n',
    'POST /x HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n',
    'GET /x HTTP/1.1\r\nUpgrade: h2c\r\n\r\n',
    'GET /x HTTP/1.1\r\nConnection: close\r\n\r\n',
    '\r\nGET /x HTTP/1.1\r\nHost: h\r\n\r\n',
    '',
  ])('whose end could be in doubt has none: %j', (text) => {
    expect(framing(text)).toBe(null);
  });
});

describe('an answer', () => {
  test.each<[string, string, number]>([
    ['HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n', 'GET', 5],
    ['HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello', 'GET', 5],
    ['HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n', 'HEAD', 0],
    ['HTTP/1.1 204 No Content\r\n\r\n', 'DELETE', 0],
    ['HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n', 'GET', 0],
  ])('%j to %s has so many bytes of body: %d', (text, method, body) => {
    expect(answerLength(text, method)).toBe(text.indexOf('\r\n\r\n') + 4 + body);
  });

  test.each([
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n',
    'HTTP/1.1 200 OK\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n',
    'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\n',
    'HTTP/1.1 100 Continue\r\n\r\n',
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n',
  ])('only its end tells how long this is: %j', (text) => {
    expect(answerLength(text, 'GET')).toBe(null);
  });
});
