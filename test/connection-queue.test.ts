import { expect, test } from 'bun:test';
import pg from 'pg';
import { ConnectionQueue } from '../src/storage/drivers/connection-queue.ts';
import { freePorts } from './support/free-ports.ts';
import { freshPostgres } from './support/postgres.ts';

const never = 2 ** 31 - 1;

async function queueOver(max: number, interval: number) {
  const pool = new pg.Pool({ connectionString: await freshPostgres(), max });
  return {
    pool,
    queue: new ConnectionQueue(pool, interval),
    [Symbol.asyncDispose]: async () => {
      if (!pool.ending) await pool.end();
    },
  };
}

test('a burst of queries is answered on one connection, in its order', async () => {
  await using opened = await queueOver(10, never);
  const { pool, queue } = opened;
  const answers: number[] = [];
  const answer = async (_: unknown, index: number) => {
    const client = await queue.take();
    await client.query('select 1');
    answers.push(index);
    client.release();
  };
  await Promise.all(Array.from({ length: 30 }, answer));
  expect(answers).toEqual(Array.from({ length: 30 }, (_, index) => index));
  expect(pool.totalCount).toBe(1);
});

test('while no connection becomes idle, more are opened, up to the limit of the pool', async () => {
  await using opened = await queueOver(3, 1);
  const { pool, queue } = opened;
  const [first, second, third] = await Promise.all([queue.take(), queue.take(), queue.take()]);
  expect(pool.totalCount).toBe(3);
  const waiting = [queue.take(), queue.take()];
  third.release();
  expect(await waiting[0]).toBe(third);
  third.release(true);
  const fourth = await waiting[1];
  expect(pool.totalCount).toBe(3);
  for (const client of [first, second, fourth]) client?.release();
});

test('a broken connection is replaced', async () => {
  await using opened = await queueOver(3, 1);
  const { queue } = opened;
  const first = await queue.take();
  const next = queue.take();
  first.release(true);
  const second = await next;
  expect(second).not.toBe(first);
  second.release();
});

test('if the server can’t be reached, nobody waits for another connection', async () => {
  const [port] = freePorts(1);
  const pool = new pg.Pool({ host: '127.0.0.1', port, max: 10 });
  const queue = new ConnectionQueue(pool, never);
  const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => queue.take()));
  expect(outcomes.map(({ status }) => status)).toEqual(Array(5).fill('rejected'));
});

test('once the pool is closed, calls that still wait are refused', async () => {
  await using opened = await queueOver(3, 1);
  const { pool, queue } = opened;
  const first = await queue.take();
  const next = queue.take();
  const ending = pool.end();
  first.release();
  await expect(next).rejects.toThrow('end');
  await ending;
});
