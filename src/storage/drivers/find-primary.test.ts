import { expect, test } from 'bun:test';
import { findServer, type ServerState } from './find-primary.ts';

const never = new Promise<ServerState>(() => {});
const findAmong = (servers: Record<string, ServerState | Promise<ServerState>>) =>
  findServer(Object.keys(servers), async (url) => servers[url] ?? 'away');

test("the writable server is found without waiting for one that doesn't answer", async () => {
  expect(await findAmong({ frozen: never, standby: 'reads', primary: 'writes' })).toEqual({
    url: 'primary',
    state: 'writes',
  });
});

test('if none is writable, a readable one is used', async () => {
  expect(await findAmong({ gone: 'away', standby: 'reads' })).toEqual({ url: 'standby', state: 'reads' });
  expect(await findAmong({ gone: 'away', other: 'away' })).toBeNull();
});
