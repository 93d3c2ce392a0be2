import { expect, test } from 'bun:test';
import { RequestProgress } from './request-progress.ts';

const head = (more: string) => `POST / HTTP/1.0\r\nHost: a\r\n${more}\r\n`;

test.each([
  ['a head that is cut off', 'POST / HT', true],
  ['a request without a body', head(''), false],
  ['a body that is all there', `${head('Content-Length: 3\r\n')}abc`, false],
  ['a body that lacks a byte', `${head('content-length:  3 \r\n')}ab`, true],
  ['a body of which nothing is there', head('Content-Length: 3\r\n'), true],
  ['chunks that are all there', `${head('Transfer-Encoding: chunked\r\n')}1\r\na\r\n0\r\n\r\n`, false],
  ['chunks with a trailer', `${head('Transfer-Encoding: chunked\r\n')}0\r\nX: y\r\n\r\n`, false],
  ['chunks that go on', `${head('Transfer-Encoding: chunked\r\n')}1\r\na\r\n`, true],
  ['two requests', head('').repeat(2), false],
])('%s', (_, bytes, isHalfSent) => {
  expect(new RequestProgress(Buffer.from(bytes)).isHalfSent).toBe(isHalfSent);
});

test('what follows counts', () => {
  const sized = new RequestProgress(Buffer.from(head('Content-Length: 3\r\n')));
  sized.note(Buffer.from('ab'));
  expect(sized.isHalfSent).toBe(true);
  sized.note(Buffer.from('c'));
  expect(sized.isHalfSent).toBe(false);
  const chunked = new RequestProgress(Buffer.from(`${head('Transfer-Encoding: chunked\r\n')}0`));
  for (const byte of '\r\n\r') {
    chunked.note(Buffer.from(byte));
    expect(chunked.isHalfSent).toBe(true);
  }
  chunked.note(Buffer.from('\n'));
  expect(chunked.isHalfSent).toBe(false);
});

test('of a head whose end comes later nothing is known', () => {
  const cut = new RequestProgress(Buffer.from('POST / HT'));
  cut.note(Buffer.from('TP/1.0\r\n'));
  expect(cut.isHalfSent).toBe(false);
});
