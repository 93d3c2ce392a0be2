import { expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { Connection, type ConnectionContext } from '../src/visit/connection/connection.ts';
import { Guard } from '../src/visit/connection/guard.ts';
import type { VisitorSocket } from '../src/visit/connection/port.ts';
import { openBothPaths } from './support/both-paths.ts';
import { eventually } from './support/eventually.ts';

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
const head = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n';

/** A connection whose turns end when the test says so, on a socket that accepts as many bytes as the test allows. */
function alone(waits: boolean) {
  const seen = { asked: 0, written: 0, pauses: 0, resumes: 0, room: Number.POSITIVE_INFINITY };
  let turn: Connection[] = [];
  const socket: VisitorSocket = {
    remoteAddress: '192.0.2.7',
    write: (sent) => {
      const taken = Math.min(sent.length, seen.room);
      seen.room -= taken;
      seen.written += taken;
      return taken;
    },
    shutdown() {},
    end() {},
    pause: () => void seen.pauses++,
    resume: () => void seen.resumes++,
    terminate() {},
  };
  const context: ConnectionContext = {
    fastPath: () => {
      seen.asked += 1;
      return { head, body: '', waits };
    },
    connectUpstream: () => {
      throw new Error('no request is for the app server');
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
    awaitTickEnd: (connection) => void turn.push(connection),
    awaitNextTick: (connection) => void turn.push(connection),
  };
  const connection = new Connection(socket, context);
  const endTick = () => {
    const waiting = turn;
    turn = [];
    for (const each of waiting) {
      each.tickEnded();
      each.nextTick();
    }
  };
  return { seen, connection, endTick, waiting: () => turn.length };
}

const answerLength = head.length + 2;

test.each([true, false])(
  'a connection has a few requests answered per tick, and eventually all (waiting: %p)',
  (waits) => {
    const { seen, connection, endTick, waiting } = alone(waits);
    connection.take(Buffer.from(get('/x').repeat(1_000)));
    let turns = 0;
    for (let before = 0; waiting() > 0; turns++) {
      expect(seen.asked - before).toBeLessThanOrEqual(4);
      before = seen.asked;
      endTick();
    }
    expect([seen.asked, seen.written]).toEqual([1_000, 1_000 * answerLength]);
    expect(turns).toBeGreaterThanOrEqual(1_000 / 4 - 1);
  },
);

test('later requests are answered in order, even if they arrive a byte at a time', () => {
  const { seen, connection, endTick, waiting } = alone(false);
  for (const byte of get('/x').repeat(30)) connection.take(Buffer.from(byte));
  connection.take(Buffer.from(get('/x').repeat(30)));
  const inTurn = seen.asked;
  for (const byte of get('/x').repeat(30)) connection.take(Buffer.from(byte));
  expect(seen.asked).toBe(inTurn);
  while (waiting() > 0) endTick();
  expect(seen.asked).toBe(90);
});

test('a client that sends thousands without reading is paused, and gets its responses once it reads', () => {
  const { seen, connection, endTick, waiting } = alone(false);
  const piece = Buffer.from(get('/x').repeat(1_000));
  seen.room = 10 * answerLength;
  for (let sent = 0; sent < 200 && seen.pauses === 0; sent++) {
    connection.take(piece);
    while (waiting() > 0) endTick();
  }
  expect(seen.pauses).toBe(1);
  const { asked } = seen;
  expect(asked).toBeLessThan(20);
  seen.room = Number.POSITIVE_INFINITY;
  connection.drained();
  while (waiting() > 0) endTick();
  expect(seen.resumes).toBe(1);
  expect(seen.written).toBe(seen.asked * answerLength);
  expect(seen.asked).toBeGreaterThan(1_000);
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
  const dial = async () => {
    const socket = connect({ host: '127.0.0.1', port: paths.port });
    sockets.push(socket);
    socket.on('error', () => {});
    await new Promise((connected) => socket.once('connect', connected));
    return socket;
  };
  let piped = 0;
  for (let index = 0; index < 20; index++) {
    const socket = await dial();
    const batch = get(`/piped-${index}`).repeat(2_000);
    const go = () => {
      while (!socket.destroyed && socket.writableLength < 1_000_000) socket.write(batch);
    };
    socket.on('data', (part) => {
      piped += part.length;
      go();
    });
    go();
  }
  await eventually(() => piped > 1_000_000, 'those who pipeline to be under way', 20_000);
  counts.clear();
  const innocent = await dial();
  for (let visit = 0; visit < 50; visit++) {
    innocent.write(get('/innocent'));
    await new Promise((answered) => innocent.once('data', answered));
  }
  for (const socket of sockets) socket.destroy();
  await paths.drain();
  expect(faults).toEqual([]);
  expect(perVisit).toHaveLength(50);
  // A visit and its answer take a few turns, in a thread that also runs the clients; one chunk alone holds hundreds of requests.
  const [median = 0] = perVisit.sort((a, b) => a - b).slice(25);
  expect(median).toBeLessThanOrEqual(4 * 8);
}, 240_000);
