import { expect, test } from 'bun:test';
import { ClientByPort } from '../src/http/client-by-port.ts';
import { Listener } from '../src/visit/connection/listener.ts';
import { noProxies, wideLimits } from './support/both-paths.ts';
import { eventually } from './support/eventually.ts';
import { connectAndSend } from './support/raw-sockets.ts';
import { get } from './support/sample-service.ts';

const rethrow = (cause: unknown) => {
  throw cause;
};

/** Longer than what the client's system receives before the client reads, and short enough for the server's system to buffer. */
const length = 400_000;

test.each([
  ['was idle', ''],
  ['was to end with the answer', 'Connection: close\r\n'],
])(
  'a client that reads only after its connection was closed, because it %s, gets all of the answer',
  async (_, header) => {
    const listenAt = { port: 0, host: '127.0.0.1', workers: 1, trustedProxies: noProxies };
    const appServer = { port: 9, clientByPort: new ClientByPort() };
    const listener = new Listener(listenAt, appServer, wideLimits, rethrow, { idleTime: 20 });
    const head = `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n`;
    listener.open(() => ({ head, body: 'x'.repeat(length), waits: false }));
    const socket = await connectAndSend(listener.port, '');
    socket.pause();
    socket.write(get('/', header));
    await eventually(() => listener.connections === 0, 'the connection to be closed');
    let received = 0;
    socket.on('data', (part) => {
      received += part.length;
    });
    const ended = new Promise((resolve) => socket.on('close', resolve));
    socket.resume();
    await ended;
    expect(received).toBeGreaterThan(length);
    await listener.stopAccepting(0);
    await listener.endConnections();
  },
);
