import { expect, test } from 'bun:test';
import type { CallerResolver } from './authorize.ts';
import { BodyMemory } from './body-memory.ts';
import type { ApiContext } from './context.ts';
import { type Connection, endpoint } from './endpoint.ts';
import { HeavyReads } from './heavy-reads.ts';
import { routes } from './routes.ts';

const termsOf = (organizationId: number, signal: AbortSignal | null = null) => ({
  organizationId,
  signal,
  deadline: Number.POSITIVE_INFINITY,
});

test('an organization runs five at a time, without delaying others', async () => {
  const reads = new HeavyReads();
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const read = (id: number) =>
    reads.run(termsOf(id), () => {
      begun.push(id);
      return new Promise<void>((end) => ends.push(end));
    });
  for (const id of [...Array(50).fill(1), 2]) void read(id);
  await new Promise(setImmediate);
  expect(begun).toEqual([1, 1, 1, 1, 1, 2]);
  ends[0]?.();
  ends[5]?.();
  await new Promise(setImmediate);
  expect(begun).toEqual([1, 1, 1, 1, 1, 2, 1]);
});

test('all of them run in order, and afterwards as many may start as before', async () => {
  const reads = new HeavyReads();
  const order: number[] = [];
  const call = (index: number) =>
    reads.run(termsOf(1), async () => {
      order.push(index);
      await new Promise(setImmediate);
    });
  await Promise.all(Array.from({ length: 20 }, (_, index) => call(index)));
  expect(order).toEqual(Array.from({ length: 20 }, (_, index) => index));
  order.length = 0;
  for (let index = 0; index < 6; index++) void call(index);
  await Promise.resolve();
  expect(order).toHaveLength(5);
});

test('an item that was cancelled or timed out while it waited is never started', async () => {
  const reads = new HeavyReads();
  const { promise: held, resolve: end } = Promise.withResolvers<void>();
  const first = Array.from({ length: 5 }, () => reads.run(termsOf(1), () => held));
  const begun: string[] = [];
  const gone = new AbortController();
  const waiting = [
    reads.run(termsOf(1, gone.signal), async () => begun.push('abandoned')),
    reads.run({ ...termsOf(1), deadline: performance.now() - 1 }, async () => begun.push('late')),
    reads.run(termsOf(1), async () => begun.push('waited for')),
  ];
  const outcomes = Promise.allSettled(waiting);
  gone.abort();
  end();
  await Promise.all(first);
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
  expect(begun).toEqual(['waited for']);
});

test("lists and statistics count as heavy, lookups by key don't", () => {
  const heavy = routes
    .filter(({ endpoint }) => endpoint.heavy)
    .map(({ method, path }) => `${method} ${path}`);
  expect(heavy.toSorted()).toEqual([
    'GET /api/v1/clicks',
    'GET /api/v1/link',
    'GET /api/v1/link/deleted',
    'GET /api/v1/link/{id}/clicks',
    'GET /api/v1/link/{id}/stats',
    'GET /api/v1/not_found',
    'GET /api/v1/stats',
  ]);
});

test('a heavy endpoint waits for its turn, and releases it even if it fails', async () => {
  let begun = 0;
  const { promise: held, reject: fail } = Promise.withResolvers<never>();
  const slow = endpoint({
    summary: '',
    credential: 'required',
    heavy: true,
    statuses: {},
    handle: () => {
      begun += 1;
      return held;
    },
  });
  const context = {
    bodies: new BodyMemory(),
    heavyReads: new HeavyReads(),
    database: {},
  } as unknown as ApiContext;
  const connection = { keepOpen: () => {} } as unknown as Connection;
  const request = new Request('http://localhost/', { headers: { 'api-key': 'x' } });
  const resolver = { caller: async () => ({ organizationId: 1 }) } as unknown as CallerResolver;
  const call = () => slow.run(request, {}, connection, resolver, context).catch(String);
  const calls = Array.from({ length: 7 }, call);
  await new Promise(setImmediate);
  expect(begun).toBe(5);
  fail(new Error('on purpose'));
  await Promise.all(calls);
  expect(begun).toBe(7);
});
