import { expect, test } from 'bun:test';
import { findServer, type ServerState } from './find-primary.ts';

const never = new Promise<ServerState>(() => {});
const asking = (standings: Record<string, ServerState | Promise<ServerState>>) =>
  findServer(Object.keys(standings), async (url) => standings[url] ?? 'away');

test('the one that takes changes is found without waiting for one that does not answer', async () => {
  expect(await asking({ frozen: never, standby: 'reads', primary: 'writes' })).toEqual({
    url: 'primary',
    standing: 'writes',
  });
});

test('where none takes changes, one that can be read will do', async () => {
  expect(await asking({ gone: 'away', standby: 'reads' })).toEqual({ url: 'standby', standing: 'reads' });
  expect(await asking({ gone: 'away', other: 'away' })).toBeNull();
});
