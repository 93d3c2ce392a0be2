import { expect, test } from 'bun:test';
import { StoreUnavailable, TimeoutExceeded } from '../../rules/errors.ts';
import { internalReadTerms } from '../../storage/database.ts';
import { ClickhouseClient } from './clickhouse-client.ts';

/** A server that answers requests in turn: with a response, by closing the connection (null), or never (undefined). */
function serverOf(responses: (string | null | undefined)[]) {
  let requestCount = 0;
  const listener = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data(socket) {
        const response = responses[requestCount++];
        if (response === undefined) return;
        if (response !== null) socket.write(`HTTP/1.1 ${response}`);
        socket.end();
      },
    },
  });
  const origin = `http://127.0.0.1:${listener.port}`;
  const server = { origin, user: 'ann', password: 'hunter2', database: 'linnet' };
  return {
    origin,
    client: new ClickhouseClient(server),
    get requestCount() {
      return requestCount;
    },
    [Symbol.dispose]: () => listener.stop(true),
  };
}

const rows =
  '200 OK\r\nX-ClickHouse-Summary: {}\r\nContent-Length: 18\r\nConnection: close\r\n\r\n{"id":1}\n{"id":2}\n';
const refusal =
  '500 No\r\nX-ClickHouse-Exception-Code: 60\r\nContent-Length: 8\r\nConnection: close\r\n\r\nno table';

test('a query is retried once if its connection breaks, an insertion is not', async () => {
  using server = serverOf([null, rows, null, null, null]);
  expect(await server.client.rows<{ id: number }>('select id from hits')).toEqual([{ id: 1 }, { id: 2 }]);
  await expect(server.client.rows('select 1')).rejects.toBeInstanceOf(StoreUnavailable);
  expect(server.requestCount).toBe(4);
  await expect(server.client.insert('insert', Uint8Array.of(1), 'one', 5_000)).rejects.toBeInstanceOf(
    StoreUnavailable,
  );
  expect(server.requestCount).toBe(5);
});

test('a proxy of the environment is not used', async () => {
  using server = serverOf([rows]);
  using proxy = serverOf([rows, rows]);
  const before = process.env.HTTP_PROXY;
  process.env.HTTP_PROXY = proxy.origin;
  try {
    expect(await server.client.rows('select id from hits')).toHaveLength(2);
  } finally {
    if (before === undefined) delete process.env.HTTP_PROXY;
    else process.env.HTTP_PROXY = before;
  }
  expect([server.requestCount, proxy.requestCount]).toEqual([1, 0]);
});

test('a refused statement is not retried, and the error names no password', async () => {
  using server = serverOf([refusal]);
  const cause = await server.client.rows('select 1').catch((error: Error) => error);
  expect(cause).toBeInstanceOf(StoreUnavailable);
  expect((cause as Error).message).toBe('ClickHouse: no table');
  expect(server.requestCount).toBe(1);
});

test('an error after the headers of a success is a refusal', async () => {
  const error = 'Code: 241. DB::Exception: memory limit';
  const answer = (text: string) =>
    `200 OK\r\nX-ClickHouse-Summary: {}\r\nContent-Length: ${text.length}\r\nConnection: close\r\n\r\n${text}`;
  using server = serverOf([answer(`{"id":1}\n${error}\n`), answer('{"id'), answer(error), answer(error)]);
  const { client } = server;
  const calls = [
    () => client.rows('select 1'),
    () => client.rows('select 1'),
    () => client.run('delete'),
    () => client.insert('insert', Uint8Array.of(1), 'one', 5_000),
  ];
  const messages = [error, 'an answer that is no JSON', error, error];
  for (const [index, call] of calls.entries()) {
    const cause = await Promise.resolve(call()).catch((refused: Error) => refused);
    expect(cause).toBeInstanceOf(StoreUnavailable);
    expect((cause as Error).message).toBe(`ClickHouse: ${messages[index]}`);
  }
  expect(server.requestCount).toBe(4);
});

test('a statement that exceeds its timeout is cancelled', async () => {
  using server = serverOf([]);
  const client = server.client.withTerms({ ...internalReadTerms, timeout: 50 });
  await expect(client.rows('select 1')).rejects.toBeInstanceOf(TimeoutExceeded);
});

test('a page with status 200 of another server is no success', async () => {
  const page = '200 OK\r\nContent-Length: 7\r\nConnection: close\r\n\r\n<html/>';
  const empty = '200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';
  using server = serverOf([page, empty, page, empty, page]);
  const { client } = server;
  const calls = [
    () => client.insert('insert', Uint8Array.of(1), 'one', 5_000),
    () => client.run('insert'),
    () => client.rows('select 1'),
    () => client.rows('select 1'),
    () => client.lines('select 1'),
  ];
  for (const call of calls) {
    const cause = await Promise.resolve(call()).catch((error: Error) => error);
    expect(cause).toBeInstanceOf(StoreUnavailable);
    expect((cause as Error).message).toStartWith(
      'CLICKS_URL is answered by something other than ClickHouse: ',
    );
  }
  expect(server.requestCount).toBe(5);
});
