import { expect, test } from 'bun:test';
import type { Socket } from 'bun';
import { connectionContext } from '../../../test/support/connection-context.ts';
import { Connection } from './connection.ts';

/** A socket that receives nothing, and discards what is written to it: all of it, or at most `max` bytes at a time. */
const fakeSocket = (room = Number.POSITIVE_INFINITY) =>
  ({
    remoteAddress: '192.0.2.7',
    write: (sent: string | Uint8Array) => Math.min(sent.length, room),
    shutdown() {},
    end() {},
    pause() {},
    resume() {},
    terminate() {},
  }) as unknown as Socket<Connection>;

const idleUpstream = {
  usedAt: 0,
  isFull: false,
  send() {},
  pause() {},
  resume() {},
  markIdle() {},
  close() {},
};

const request = (line: string) => `${line} HTTP/1.1\r\nHost: links.example.com\r\n\r\n`;

test('requests of a visitor who disconnected during a lookup are neither answered nor carried out', async () => {
  const lookup = Promise.withResolvers<void>();
  const lookedUp: string[] = [];
  const context = connectionContext({
    fastPath: ({ path }) => {
      lookedUp.push(path);
      return lookedUp.length === 1 ? lookup.promise : null;
    },
  });
  const connection = new Connection(fakeSocket(), context);
  connection.take(Buffer.from(request('GET /first') + request('GET /second')));
  expect(lookedUp).toEqual(['/first']);
  connection.happened('closed');
  lookup.resolve();
  await lookup.promise;
  await Promise.resolve();
  expect(lookedUp).toEqual(['/first']);
});

test('a client that reads slowly gets all of its answer, one that reads nothing during six sweeps is disconnected', () => {
  const answer = { head: 'HTTP/1.1 200 OK\r\n', body: 'x'.repeat(1_000), waits: false };
  const connection = new Connection(fakeSocket(10), connectionContext({ fastPath: () => answer }));
  connection.take(Buffer.from(request('GET /page')));
  const sweep = (times: number) => {
    for (let count = 0; count < times; count++) connection.happened('sweep');
    return connection.isClosed;
  };
  for (let part = 0; part < 10; part++) {
    expect(sweep(5)).toBe(false);
    connection.drained();
  }
  expect(sweep(6)).toBe(true);
});

test('a client that ends its side aborts its read of the API, but neither its visit nor its change', () => {
  const ended: string[] = [];
  for (const line of [
    'GET /link',
    'HEAD /link',
    'GET /api/v1/link',
    'HEAD /api/v1/link',
    'DELETE /api/v1/link/1',
  ]) {
    const context = connectionContext({
      fastPath: () => null,
      connectUpstream: () => ({ ...idleUpstream, end: () => ended.push(line) }),
    });
    const connection = new Connection(fakeSocket(), context);
    connection.take(Buffer.from(request(line)));
    connection.happened('client ended');
  }
  expect(ended).toEqual(['GET /api/v1/link', 'HEAD /api/v1/link']);
});
