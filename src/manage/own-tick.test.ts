import { expect, test } from 'bun:test';
import { nextFreeTick } from './time-slice.ts';

test('callers that request work at the same time take turns, and other work runs in between', async () => {
  const order: string[] = [];
  const works = Array.from({ length: 3 }, async (_, index) => {
    await nextFreeTick();
    order.push(`work ${index}`);
    setImmediate(() => order.push(`others ${index}`));
  });
  await Promise.all(works);
  await new Promise((resolve) => setImmediate(resolve));
  expect(order).toEqual(['work 0', 'others 0', 'work 1', 'others 1', 'work 2', 'others 2']);
});
