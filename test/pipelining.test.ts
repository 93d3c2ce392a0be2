import { expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { Connection } from '../src/visit/connection/connection.ts';
import type { VisitorSocket } from '../src/visit/connection/port.ts';
import { openBothPaths } from './support/both-paths.ts';
import { connectionContext } from './support/connection-context.ts';
import { eventually } from './support/eventually.ts';

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
const head = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n';

/** A connection whose ticks end when the test ends them, on a socket that accepts as many bytes as the test allows. */
function fakeConnection(waits: boolean) {
  const observed = { requests: 0, written: 0, pauses: 0, resumes: 0, writable: Number.POSITIVE_INFINITY };
  let tickQueue: Connection[] = [];
  const socket: VisitorSocket = {
    remoteAddress: '192.0.2.7',
    write: (sent) => {
      const taken = Math.min(sent.length, observed.writable);
      observed.writable -= taken;
      observed.written += taken;
      return taken;
    },
    shutdown() {},
    end() {},
    pause: () => void observed.pauses++,
    resume: () => void observed.resumes++,
    terminate() {},
  };
  const context = connectionContext({
    fastPath: () => {
      observed.requests += 1;
      return { head, body: '', waits };
    },
    awaitTickEnd: (connection) => void tickQueue.push(connection),
    awaitNextTick: (connection) => void tickQueue.push(connection),
  });
  const connection = new Connection(socket, context);
  const endTick = () => {
    const waiting = tickQueue;
    tickQueue = [];
    for (const waitingConnection of waiting) {
      waitingConnection.happened('tick ended');
      waitingConnection.happened('next tick');
    }
  };
  return { observed, connection, endTick, waiting: () => tickQueue.length };
}

const responseLength = head.length + 2;

test.each([true, false])(
  'a connection has a few requests answered per tick, and eventually all (waiting: %p)',
  (waits) => {
    const { observed, connection, endTick, waiting } = fakeConnection(waits);
    connection.take(Buffer.from(get('/x').repeat(1_000)));
    let ticks = 0;
    for (let before = 0; waiting() > 0; ticks++) {
      expect(observed.requests - before).toBeLessThanOrEqual(4);
      before = observed.requests;
      endTick();
    }
    expect([observed.requests, observed.written]).toEqual([1_000, 1_000 * responseLength]);
    expect(ticks).toBeGreaterThanOrEqual(1_000 / 4 - 1);
  },
);

test('later requests are answered in order, even if they arrive a byte at a time', () => {
  const { observed, connection, endTick, waiting } = fakeConnection(false);
  for (const byte of get('/x').repeat(30)) connection.take(Buffer.from(byte));
  connection.take(Buffer.from(get('/x').repeat(30)));
  const answeredInTick = observed.requests;
  for (const byte of get('/x').repeat(30)) connection.take(Buffer.from(byte));
  expect(observed.requests).toBe(answeredInTick);
  while (waiting() > 0) endTick();
  expect(observed.requests).toBe(90);
});

test('a client that sends thousands without reading is paused, and gets its responses once it reads', () => {
  const { observed, connection, endTick, waiting } = fakeConnection(false);
  const chunk = Buffer.from(get('/x').repeat(1_000));
  observed.writable = 10 * responseLength;
  for (let sent = 0; sent < 200 && observed.pauses === 0; sent++) {
    connection.take(chunk);
    while (waiting() > 0) endTick();
  }
  expect(observed.pauses).toBe(1);
  const { requests } = observed;
  expect(requests).toBeLessThan(20);
  observed.writable = Number.POSITIVE_INFINITY;
  connection.drained();
  while (waiting() > 0) endTick();
  expect(observed.resumes).toBe(1);
  expect(observed.written).toBe(observed.requests * responseLength);
  expect(observed.requests).toBeGreaterThan(1_000);
});

test('another visitor waits for a few responses of each pipelining client, not for thousands', async () => {
  const faults: unknown[] = [];
  const perVisit: number[] = [];
  const counts = new Map<string, number>();
  const paths = openBothPaths(
    (cause) => faults.push(cause),
    () => new Response(null, { status: 404 }),
    ({ path }) => {
      if (path === '/innocent') {
        perVisit.push(Math.max(0, ...counts.values()));
        counts.clear();
      } else counts.set(path, (counts.get(path) ?? 0) + 1);
      return { head, body: '', waits: path.length % 2 === 0 };
    },
  );
  const sockets: Socket[] = [];
  const connectClient = async () => {
    const socket = connect({ host: '127.0.0.1', port: paths.port });
    sockets.push(socket);
    socket.on('error', () => {});
    await new Promise((resolve) => socket.once('connect', resolve));
    return socket;
  };
  let receivedBytes = 0;
  for (let index = 0; index < 20; index++) {
    const socket = await connectClient();
    const batch = get(`/piped-${index}`).repeat(2_000);
    const fill = () => {
      while (!socket.destroyed && socket.writableLength < 1_000_000) socket.write(batch);
    };
    socket.on('data', (part) => {
      receivedBytes += part.length;
      fill();
    });
    fill();
  }
  await eventually(() => receivedBytes > 1_000_000, 'the pipelining clients to receive answers', 20_000);
  counts.clear();
  const visitor = await connectClient();
  for (let visit = 0; visit < 50; visit++) {
    visitor.write(get('/innocent'));
    await new Promise((resolve) => visitor.once('data', resolve));
  }
  for (const socket of sockets) socket.destroy();
  await paths.drain();
  expect(faults).toEqual([]);
  expect(perVisit).toHaveLength(50);
  // A visit and its answer take a few ticks, in a thread that also runs the clients; one chunk alone holds hundreds of requests.
  const [median = 0] = perVisit.sort((a, b) => a - b).slice(25);
  expect(median).toBeLessThanOrEqual(4 * 8);
}, 240_000);
