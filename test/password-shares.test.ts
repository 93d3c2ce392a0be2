import { expect, test } from 'bun:test';
import { appWithOwner } from './support/app-suite.ts';

const { app } = appWithOwner();

test('browsers that have signed in share one turn of password checks with their network', async () => {
  const { passwordAttempts } = app.app.context;
  const clientOf = async (network: string, browser: string) => {
    const { priority } = await passwordAttempts.reserve('user|someone', { network, browser });
    return [priority.isKnown, priority.clientKey];
  };
  const first = await clientOf('198.51.100.7', 'one');
  expect(first[0]).toBe(true);
  expect(await clientOf('198.51.100.7', 'another')).toEqual(first);
  expect(await clientOf('203.0.113.7', 'one')).not.toEqual(first);
});
