import { afterEach, beforeEach, expect, spyOn, test } from 'bun:test';
import { noProxies } from '../../../test/support/both-paths.ts';
import { ClientByPort } from '../../http/client-by-port.ts';
import type { FastPath } from './connection.ts';
import { Listener } from './listener.ts';
import type { Receiver, VisitorPort } from './port.ts';

const get = Buffer.from('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
const redirect: ReturnType<FastPath> = { head: 'HTTP/1.1 302 Found\r\n', body: '', waits: true };
const never: ReturnType<FastPath> = new Promise(() => {});

/** A port whose connections and ticks are the test's. */
let listener: Listener;
let receiver: Receiver<unknown>;
const tickEnds: (() => void)[] = [];
const closes: (() => void)[] = [];
const faults: unknown[] = [];
let free: number;
/** What the listener does every second. */
let countDescriptors: () => void;

function listen(total: number): void {
  free = 1_000;
  const intervals = spyOn(globalThis, 'setInterval');
  const listenAt = { port: 0, host: '127.0.0.1', workers: 1, trustedProxies: noProxies };
  const limits = { total, perNetwork: total, upstream: 2, upstreamPerNetwork: 2 };
  const appServer = { port: 9, clientByPort: new ClientByPort() };
  const port: VisitorPort = {
    port: 1,
    afterTick: (task) => void tickEnds.push(task),
    stop: () => {},
    close: () => {},
  };
  listener = new Listener(listenAt, appServer, limits, (cause) => faults.push(cause), {
    open: (_, callbacks) => {
      receiver = callbacks as Receiver<unknown>;
      return port;
    },
    free: () => free,
  });
  countDescriptors = intervals.mock.calls.find(([, delay]) => delay === 1_000)?.[0] as () => void;
  intervals.mockRestore();
}

beforeEach(() => listen(2));

afterEach(async () => {
  for (const close of closes.splice(0)) close();
  await listener.stopAccepting(0);
  await listener.endConnections();
  expect(faults.splice(0)).toEqual([]);
});

function openFrom(remoteAddress: string) {
  const client = { written: '', hasEnded: false, isClosed: false };
  const connection = receiver.opened({
    remoteAddress,
    write: (sent) => {
      client.written += sent.toString();
      return sent.length;
    },
    shutdown: () => {},
    end: () => {
      client.hasEnded = true;
    },
    pause: () => {},
    resume: () => {},
    terminate: () => {
      client.isClosed = true;
    },
  });
  const close = () => receiver.closed(connection);
  closes.push(close);
  const send = (bytes: Buffer) => receiver.received(connection, bytes);
  return {
    client,
    send,
    request: () => send(get),
    end: () => receiver.ended(connection),
    close,
  };
}

const endTick = () => {
  for (const task of tickEnds.splice(0)) task();
};

test('a connection beyond the limit is accepted at the end of the tick, once an answer to another one is sent', () => {
  listener.open(() => redirect);
  const visitors = ['192.0.2.1', '192.0.2.2'].map(openFrom);
  for (const { request } of visitors) request();
  const late = openFrom('192.0.2.3');
  endTick();
  expect(visitors.map(({ client }) => client.written.slice(0, 12))).toEqual(['HTTP/1.1 302', 'HTTP/1.1 302']);
  const closed = visitors.filter(({ client }) => client.isClosed);
  // A reset could make its client lose the answer.
  expect(closed.map(({ client }) => client.hasEnded)).toEqual([true]);
  late.request();
  endTick();
  expect(late.client.written).toStartWith('HTTP/1.1 302');
  expect(listener.connections).toBe(2);
});

test('connections beyond the limit are refused if answers are still pending then; of very many, some at once', async () => {
  listener.open(() => never);
  for (const address of ['192.0.2.1', '192.0.2.2']) openFrom(address).request();
  const late = Array.from({ length: 20 }, (_, index) => openFrom(`192.0.2.${index + 3}`));
  const refused = () =>
    late.filter(({ client }) => client.written.startsWith('HTTP/1.1 503') && client.isClosed);
  late[0]?.close();
  await Promise.resolve();
  expect(refused()).toHaveLength(4);
  endTick();
  expect(refused()).toHaveLength(19);
  expect(listener.connections).toBe(2);
});

test('the requests of a tick are decided together at its end, before the tasks that write their clicks', () => {
  const order: string[] = [];
  listener.open(() => {
    if (!order.includes('decided')) listener.afterTick(() => order.push('written'));
    order.push('decided');
    return redirect;
  });
  const visitors = ['192.0.2.1', '192.0.2.2'].map(openFrom);
  for (const { request } of visitors) request();
  expect(order).toEqual([]);
  endTick();
  expect(order).toEqual(['decided', 'decided', 'written']);
  expect(visitors.map(({ client }) => client.written.slice(0, 12))).toEqual(['HTTP/1.1 302', 'HTTP/1.1 302']);
});

test('a request is answered before the end of its client, which came in the same tick', () => {
  listener.open(() => redirect);
  const { client, request, end } = openFrom('192.0.2.1');
  request();
  end();
  endTick();
  expect(client.written).toStartWith('HTTP/1.1 302');
});

test('a request is decided even if its client has gone in the same tick', () => {
  let decided = 0;
  listener.open(() => {
    decided += 1;
    return redirect;
  });
  const { client, request, close } = openFrom('192.0.2.1');
  request();
  close();
  endTick();
  expect(decided).toBe(1);
  expect(client.written).toBe('');
});

test('requests that were received when the server stops are answered', async () => {
  listener.open(() => redirect);
  const { client, request } = openFrom('192.0.2.1');
  request();
  await listener.stopAccepting(0);
  endTick();
  expect(client.written).toStartWith('HTTP/1.1 302');
});

test('many bytes are processed before the end of the tick', () => {
  let decided = 0;
  listener.open(() => {
    decided += 1;
    return redirect;
  });
  const { send, request, client } = openFrom('192.0.2.1');
  send(Buffer.concat(Array.from({ length: 12_000 }, () => get)));
  expect(decided).toBe(4);
  request();
  expect(client.written).toBe('');
  while (tickEnds.length > 0) endTick();
  expect(decided).toBe(12_001);
});

test('while descriptors are short, a connection whose request was received is not taken for an idle one', async () => {
  await listener.stopAccepting(0);
  listen(9);
  listener.open(() => redirect);
  const visitors = Array.from({ length: 9 }, (_, index) => openFrom(`192.0.2.${index + 1}`));
  for (const { request } of visitors) request();
  endTick();
  for (const { request } of visitors) request();
  free = 0;
  countDescriptors();
  expect(listener.connections).toBe(9);
  endTick();
  expect(visitors.map(({ client }) => client.written.split('HTTP/1.1 302').length - 1)).toEqual(
    Array(9).fill(2),
  );
  countDescriptors();
  expect(listener.connections).toBe(8);
});
