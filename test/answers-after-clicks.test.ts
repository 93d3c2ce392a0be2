import { expect, test } from 'bun:test';
import { connect } from 'node:net';
import { AppServer } from '../src/http/app-server.ts';
import { ClientByPort } from '../src/http/client-by-port.ts';
import { Listener } from '../src/visit/connection/listener.ts';
import { openPort } from '../src/visit/connection/port.ts';
import { noProxies, wideLimits } from './support/both-paths.ts';
import { eventually } from './support/eventually.ts';

test('no response is sent before its click is on file, whatever is sent meanwhile and afterwards', async () => {
  const fault = (cause: unknown) => {
    throw cause;
  };
  let clicks = 0;
  let onFile = 0;
  let isTick = false;
  let left = 0;
  const early: string[] = [];
  const clientByPort = new ClientByPort();
  const appServer = new AppServer(clientByPort, fault);
  const listenAt = { port: 0, host: '127.0.0.1', workers: 1, trustedProxies: noProxies };
  const listener = new Listener(listenAt, { port: appServer.port, clientByPort }, wideLimits, fault, {
    open: (where, receiver) =>
      openPort(where, {
        ...receiver,
        opened: (socket) => {
          const write = (sent: string | Uint8Array) => {
            for (const [, click] of String(sent).matchAll(/X-Click: (\d+)/g)) {
              left += 1;
              if (Number(click) > onFile) early.push(`${click} of ${onFile}`);
            }
            return socket.write(sent);
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
    if (!isTick) {
      isTick = true;
      listener.afterTick(() => {
        isTick = false;
        onFile = clicks;
      });
    }
    return {
      head: `HTTP/1.1 302 Found\r\nX-Click: ${clicks}\r\nContent-Length: 0\r\n`,
      body: '',
      waits: true,
    };
  });
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
  const shapes = [
    get('/page').repeat(400),
    (get('/page').repeat(3) + get('/click')).repeat(100),
    get('/click').repeat(400),
    (get('/looked-up') + get('/page').repeat(6)).repeat(60),
    get('/click'),
  ];
  const clients = Array.from({ length: 20 }, (_, index) => {
    const socket = connect({ host: '127.0.0.1', port: listener.port });
    let answers = 0;
    let wanted = 0;
    const shape = shapes[index % shapes.length] as string;
    const send = () => {
      wanted += shape.split('GET ').length - 1;
      socket.write(shape);
    };
    socket.on('connect', send);
    socket.on('data', (part) => {
      answers += part.toString('latin1').split('HTTP/1.1 ').length - 1;
      if (answers >= wanted && left < 20_000) send();
    });
    return { socket, isDone: () => wanted > 0 && answers >= wanted };
  });
  await eventually(() => left >= 20_000 && clients.every(({ isDone }) => isDone()), 'all answers', 30_000);
  for (const { socket } of clients) socket.destroy();
  await listener.stopTaking(1_000);
  await appServer.stop(0);
  await listener.endConnections();
  expect(early).toEqual([]);
}, 240_000);
