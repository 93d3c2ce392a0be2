import { expect, test } from 'bun:test';
import { ProxiedRequest } from './proxied-request.ts';
import { readHead } from './request-head.ts';

const chunkedRequest = (): ProxiedRequest => {
  const head = readHead('POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked');
  if (typeof head === 'number') throw new Error(`refused with ${head}`);
  return new ProxiedRequest(head);
};

test('small chunks that arrive together are forwarded as one', () => {
  const request = chunkedRequest();
  const sent = Buffer.from('1\r\na\r\n1;x=y\r\nb\r\n3\r\ncde\r\n0\r\n\r\nGET');
  expect(request.take(sent)).toBe(sent.length - 3);
  let passedOn = '';
  request.forwardTo({
    send: (bytes) => {
      passedOn += bytes.toString();
    },
  });
  expect(passedOn).toEndWith('\r\n\r\n5\r\nabcde\r\n0\r\n\r\n');
});
