import { expect, test } from 'bun:test';
import type { Socket } from 'bun';
import { Connection, type ConnectionContext } from './connection.ts';
import { Guard } from './guard.ts';

/** A socket that receives nothing, and discards what is written to it. */
const fakeSocket = () =>
  ({
    remoteAddress: '192.0.2.7',
    write: (sent: string | Uint8Array) => sent.length,
    shutdown() {},
    end() {},
    pause() {},
    resume() {},
    terminate() {},
  }) as unknown as Socket<Connection>;

const request = (line: string) => `${line} HTTP/1.1\r\nHost: links.example.com\r\n\r\n`;

test('requests of a visitor who disconnected during a lookup are neither answered nor carried out', async () => {
  const lookup = Promise.withResolvers<void>();
  const lookedUp: string[] = [];
  const context: ConnectionContext = {
    fastPath: ({ path }) => {
      lookedUp.push(path);
      return lookedUp.length === 1 ? lookup.promise : null;
    },
    // No request may be passed on to the app server.
    connectUpstream: () => {
      throw new Error('a request is passed on');
    },
    guard: new Guard((cause) => {
      throw cause;
    }),
    scheme: null,
    headEnd: () => '\r\n',
    nextId: () => '',
    note: null,
    tickStart: () => performance.now(),
    answered: () => {},
    draining: { isOn: false },
    awaitTickEnd: () => {},
    awaitNextTick: () => {},
  };
  const connection = new Connection(fakeSocket(), context);
  connection.take(Buffer.from(request('GET /first') + request('GET /second')));
  expect(lookedUp).toEqual(['/first']);
  connection.happened('closed');
  lookup.resolve();
  await lookup.promise;
  await Promise.resolve();
  expect(lookedUp).toEqual(['/first']);
});
