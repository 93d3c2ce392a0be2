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

test('an organization runs five reads at a time, without delaying other organizations', async () => {
  const reads = new HeavyReads();
  const started: number[] = [];
  const ends: (() => void)[] = [];
  const read = (id: number) =>
    reads.run(termsOf(id), () => {
      started.push(id);
      return new Promise<void>((end) => ends.push(end));
    });
  for (const id of [...Array(50).fill(1), 2]) void read(id);
  await new Promise(setImmediate);
  expect(started).toEqual([1, 1, 1, 1, 1, 2]);
  ends[0]?.();
  ends[5]?.();
  await new Promise(setImmediate);
  expect(started).toEqual([1, 1, 1, 1, 1, 2, 1]);
});

test('queued reads run in order, and afterwards five may run at once again', async () => {
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

test('a read that was cancelled or timed out while it waited is never started', async () => {
  const reads = new HeavyReads();
  const { promise: pending, resolve: end } = Promise.withResolvers<void>();
  const first = Array.from({ length: 5 }, () => reads.run(termsOf(1), () => pending));
  const started: string[] = [];
  const controller = new AbortController();
  const waiting = [
    reads.run(termsOf(1, controller.signal), async () => started.push('abandoned')),
    reads.run({ ...termsOf(1), deadline: performance.now() - 1 }, async () => started.push('late')),
    reads.run(termsOf(1), async () => started.push('waited for')),
  ];
  const outcomes = Promise.allSettled(waiting);
  controller.abort();
  end();
  await Promise.all(first);
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
  expect(started).toEqual(['waited for']);
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
  let started = 0;
  const { promise: pending, reject: fail } = Promise.withResolvers<never>();
  const slow = endpoint({
    summary: '',
    credential: 'required',
    heavy: true,
    statuses: {},
    handle: () => {
      started += 1;
      return pending;
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
  expect(started).toBe(5);
  fail(new Error('on purpose'));
  await Promise.all(calls);
  expect(started).toBe(7);
});
