import { expect, test } from 'bun:test';
import { connect } from 'node:net';
import { appWithOwner } from './support/app-suite.ts';
import { eventually } from './support/eventually.ts';

const { app, owner } = appWithOwner();

/** A stream of clicks by a socket: `fetch` has at most 256 connections. */
function openStream(key: string) {
  const { hostname, port, host } = new URL(app.url);
  const socket = connect({ host: hostname, port: Number(port) });
  const begun = Promise.withResolvers<string>();
  let isOpen = true;
  let received = '';
  socket.on('data', (part) => {
    received += part;
    if (received.includes(': Linnet') || received.includes('TOO_MANY_STREAMS')) begun.resolve(received);
    if (received.endsWith('\r\n0\r\n\r\n')) isOpen = false;
  });
  socket.on('error', () => {});
  socket.on('close', () => begun.resolve(received));
  socket.write(`GET /api/v1/clicks/live HTTP/1.1\r\nHost: ${host}\r\napi-key: ${key}\r\n\r\n`);
  return {
    status: begun.promise.then((text) => text.slice(9, 12)),
    isOpen: () => isOpen,
    [Symbol.dispose]: () => socket.destroy(),
  };
}

test('while 25 organizations have all 500 streams of a node, another one gets its own, and only two of theirs end', async () => {
  using streams = new DisposableStack();
  const open = (key: string) => streams.use(openStream(key));
  const keys: string[] = [];
  for (let index = 0; index < 25; index++) keys.push((await app.createAccount()).key);
  const theirs = keys.flatMap((key) => Array.from({ length: 20 }, () => open(key)));
  const statuses = await Promise.all(theirs.map(({ status }) => status));
  expect(new Set(statuses)).toEqual(new Set(['200']));

  const own = [open(owner.key), open(owner.key)];
  expect(await Promise.all(own.map(({ status }) => status))).toEqual(['200', '200']);
  const ended = () => theirs.filter(({ isOpen }) => !isOpen());
  await eventually(() => ended().length === 2, 'the end of two streams');

  // They take no place of an organization that has fewer.
  expect(await open(keys[0] ?? '').status).toBe('429');
  await Bun.sleep(200);
  expect(own.every(({ isOpen }) => isOpen())).toBe(true);
  expect(ended()).toHaveLength(2);
}, 60_000);
