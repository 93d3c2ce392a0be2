import { expect, test } from 'bun:test';
import { ClientByPort } from './client-by-port.ts';

test('threads that share the memory see the client address of a port until it is deleted', () => {
  const first = new ClientByPort();
  const second = new ClientByPort(first.memory);
  first.set(1, '203.0.113.7');
  first.set(65_535, 'fe80::1:2:3:4%eth0');
  expect([second.get(1), second.get(65_535), second.get(2)]).toEqual([
    '203.0.113.7',
    'fe80::1:2:3:4%eth0',
    undefined,
  ]);
  first.set(1, '::1');
  first.delete(65_535);
  expect([second.get(1), second.get(65_535)]).toEqual(['::1', undefined]);
});
