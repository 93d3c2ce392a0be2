import { expect, test } from 'bun:test';
import { connect } from 'node:net';
import { AppServer } from '../src/http/app-server.ts';
import { ClientByPort } from '../src/http/client-by-port.ts';
import { Listener } from '../src/visit/connection/listener.ts';
import { openPort } from '../src/visit/connection/port.ts';
import { noProxies, wideLimits } from './support/both-paths.ts';
import { eventually } from './support/eventually.ts';

test('no response is sent before its click is written, whatever other responses are sent in between', async () => {
  const fault = (cause: unknown) => {
    throw cause;
  };
  let clicks = 0;
  let written = 0;
  let isTickPending = false;
  let clicksSent = 0;
  const sentTooEarly: string[] = [];
  const clientByPort = new ClientByPort();
  const appServer = new AppServer(clientByPort, fault);
  const listenAt = { port: 0, host: '127.0.0.1', workers: 1, trustedProxies: noProxies };
  const listener = new Listener(listenAt, { port: appServer.port, clientByPort }, wideLimits, fault, {
    open: (where, receiver) =>
      openPort(where, {
        ...receiver,
        opened: (socket) => {
          const write = (data: string | Uint8Array) => {
            for (const [, click] of String(data).matchAll(/X-Click: (\d+)/g)) {
              clicksSent += 1;
              if (Number(click) > written) sentTooEarly.push(`${click} of ${written}`);
            }
            return socket.write(data);
          };
          return receiver.opened({
            write,
            remoteAddress: socket.remoteAddress,
            pause: () => socket.pause(),
            resume: () => socket.resume(),
            shutdown: () => socket.shutdown(),
            end: () => socket.end(),
            terminate: () => socket.terminate(),
          });
        },
      }),
  });
  /** Like the journal: one write at the end of an event-loop turn, for all of the turn's clicks. */
  listener.open(({ path }) => {
    if (path === '/page') return { head: 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n', body: '', waits: false };
    if (path === '/looked-up' && clicks % 3 === 0) return Promise.resolve(clicks++);
    clicks += 1;
    if (!isTickPending) {
      isTickPending = true;
      listener.afterTick(() => {
        isTickPending = false;
        written = clicks;
      });
    }
    return {
      head: `HTTP/1.1 302 Found\r\nX-Click: ${clicks}\r\nContent-Length: 0\r\n`,
      body: '',
      waits: true,
    };
  });
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
  const batches = [
    get('/page').repeat(400),
    (get('/page').repeat(3) + get('/click')).repeat(100),
    get('/click').repeat(400),
    (get('/looked-up') + get('/page').repeat(6)).repeat(60),
    get('/click'),
  ];
  const clients = Array.from({ length: 20 }, (_, index) => {
    const socket = connect({ host: '127.0.0.1', port: listener.port });
    let responses = 0;
    let expected = 0;
    const batch = batches[index % batches.length] as string;
    const send = () => {
      expected += batch.split('GET ').length - 1;
      socket.write(batch);
    };
    socket.on('connect', send);
    socket.on('data', (part) => {
      responses += part.toString('latin1').split('HTTP/1.1 ').length - 1;
      if (responses >= expected && clicksSent < 20_000) send();
    });
    return { socket, isDone: () => expected > 0 && responses >= expected };
  });
  await eventually(
    () => clicksSent >= 20_000 && clients.every(({ isDone }) => isDone()),
    'all answers',
    30_000,
  );
  for (const { socket } of clients) socket.destroy();
  await listener.stopAccepting(1_000);
  await appServer.stop(0);
  await listener.endConnections();
  expect(sentTooEarly).toEqual([]);
}, 240_000);
