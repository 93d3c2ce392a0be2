import { afterEach, beforeEach, expect, test } from 'bun:test';
import { noProxies } from '../../../test/support/both-paths.ts';
import { ClientByPort } from '../../http/client-by-port.ts';
import type { FastPath } from './connection.ts';
import { Listener } from './listener.ts';
import type { Receiver, VisitorPort } from './port.ts';

const limits = { total: 2, perNetwork: 2, upstream: 2, upstreamPerNetwork: 2 };
const get = Buffer.from('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
const redirect: ReturnType<FastPath> = { head: 'HTTP/1.1 302 Found\r\n', body: '', waits: true };
const never: ReturnType<FastPath> = new Promise(() => {});

/** A port whose connections and ticks are the test's. */
let listener: Listener;
let receiver: Receiver<unknown>;
const tickEnds: (() => void)[] = [];
const faults: unknown[] = [];

beforeEach(() => {
  const listenAt = { port: 0, host: '127.0.0.1', workers: 1, trustedProxies: noProxies };
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
  });
});

afterEach(async () => {
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
  const request = () => receiver.received(connection, get);
  return { client, request, close: () => receiver.closed(connection) };
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
