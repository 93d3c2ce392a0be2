import { expect, test } from 'bun:test';
import type { Socket } from 'bun';
import { ClientByPort } from '../../http/client-by-port.ts';
import { Connection, type Lane } from './connection.ts';
import { Guard } from './guard.ts';
import { UpstreamSlots } from './upstream-slots.ts';

/** A socket on which nothing arrives anywhere. */
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

test('what a visitor sent who went away while a link was looked up is neither answered nor done', async () => {
  const known = Promise.withResolvers<void>();
  const asked: string[] = [];
  const lane: Lane = {
    express: ({ path }) => {
      asked.push(path);
      return asked.length === 1 ? known.promise : null;
    },
    // Nobody listens there: a connection to it would be seen by the test's process alone.
    innerPort: 1,
    peers: new ClientByPort(),
    guard: new Guard((cause) => {
      throw cause;
    }),
    slots: new UpstreamSlots({ upstream: 1, upstreamPerNetwork: 1 }, () => null),
    headEnd: () => '\r\n',
    leaveAfterTurn: () => {},
    continueAfterTurn: () => {},
  };
  const connection = new Connection(deafSocket(), lane);
  connection.take(Buffer.from(request('GET /first') + request('GET /second')));
  expect(asked).toEqual(['/first']);
  connection.closed();
  known.resolve();
  await known.promise;
  await Promise.resolve();
  expect(asked).toEqual(['/first']);
});
