import { expect, test } from 'bun:test';
import type { Socket } from 'bun';
import { Connection, type ConnectionContext } from './connection.ts';
import { Guard } from './guard.ts';

/** A socket that receives nothing, and whose writes go nowhere. */
const deafSocket = () =>
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
  const known = Promise.withResolvers<void>();
  const asked: string[] = [];
  const context: ConnectionContext = {
    fastPath: ({ path }) => {
      asked.push(path);
      return asked.length === 1 ? known.promise : null;
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
  const connection = new Connection(deafSocket(), context);
  connection.take(Buffer.from(request('GET /first') + request('GET /second')));
  expect(asked).toEqual(['/first']);
  connection.closed();
  known.resolve();
  await known.promise;
  await Promise.resolve();
  expect(asked).toEqual(['/first']);
});
