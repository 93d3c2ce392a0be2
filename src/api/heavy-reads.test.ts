import { expect, test } from 'bun:test';
import type { CallerResolver } from './authorize.ts';
import { BodyMemory } from './body-memory.ts';
import type { ApiContext } from './context.ts';
import { type Connection, endpoint } from './endpoint.ts';
import { HeavyReads } from './heavy-reads.ts';
import { routes } from './routes.ts';

/** Who got a turn, in order. */
function taken(reads: HeavyReads, organizations: readonly number[]): number[] {
  const begun: number[] = [];
  for (const id of organizations) void reads.take(id).then(() => begun.push(id));
  return begun;
}

test('an organization has five at a time, and another waits for none of them', async () => {
  const reads = new HeavyReads();
  const begun = taken(reads, [...Array(50).fill(1), 2]);
  await Promise.resolve();
  expect(begun).toEqual([1, 1, 1, 1, 1, 2]);
  reads.release(1);
  reads.release(2);
  await Bun.sleep(0);
  expect(begun).toEqual([1, 1, 1, 1, 1, 2, 1]);
});

test('all of them get their turn, in their order, and then as many may begin as before', async () => {
  const reads = new HeavyReads();
  const order: number[] = [];
  const calls = Array.from({ length: 20 }, async (_, call) => {
    await reads.take(1);
    order.push(call);
    await Bun.sleep(0);
    reads.release(1);
  });
  await Promise.all(calls);
  expect(order).toEqual(order.toSorted((one, other) => one - other));
  const begun = taken(reads, Array(6).fill(1));
  await Bun.sleep(0);
  expect(begun).toHaveLength(5);
});

test('lists and statistics are heavy, and what is looked up by key is not', () => {
  const heavy = routes
    .filter(({ endpoint }) => endpoint.heavy)
    .map(({ method, path }) => `${method} ${path}`);
  expect(heavy.toSorted()).toEqual([
    'GET /api/v1/clicks',
    'GET /api/v1/link',
    'GET /api/v1/link/deleted',
    'GET /api/v1/link/{id}/clicks',
    'GET /api/v1/link/{id}/stats',
    'GET /api/v1/stats',
  ]);
});

test('a heavy endpoint is begun when it has its turn, and gives it up also when it fails', async () => {
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
  const context = { bodies: new BodyMemory(), heavyReads: new HeavyReads() } as unknown as ApiContext;
  const connection = { keepOpen: () => {} } as unknown as Connection;
  const request = new Request('http://localhost/', { headers: { 'api-key': 'x' } });
  const resolver = { caller: async () => ({ organizationId: 1 }) } as unknown as CallerResolver;
  const call = () => slow.run(request, {}, connection, resolver, context).catch(String);
  const calls = Array.from({ length: 7 }, call);
  await Bun.sleep(0);
  expect(begun).toBe(5);
  fail(new Error('on purpose'));
  await Promise.all(calls);
  expect(begun).toBe(7);
});
