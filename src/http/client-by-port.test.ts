import { expect, test } from 'bun:test';
import { ClientByPort } from './client-by-port.ts';

test('threads that share the memory know the client of a port until it is released', () => {
  const ours = new ClientByPort();
  const theirs = new ClientByPort(ours.memory);
  ours.set(1, '203.0.113.7');
  ours.set(65_535, 'fe80::1:2:3:4%eth0');
  expect([theirs.get(1), theirs.get(65_535), theirs.get(2)]).toEqual([
    '203.0.113.7',
    'fe80::1:2:3:4%eth0',
    undefined,
  ]);
  ours.set(1, '::1');
  ours.delete(65_535);
  expect([theirs.get(1), theirs.get(65_535)]).toEqual(['::1', undefined]);
});
