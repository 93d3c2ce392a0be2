import { expect, test } from 'bun:test';
import { defaultHashCost } from '../src/auth/passwords.ts';
import { startApp, type TestAccount } from './support/app.ts';

test('an organization that sets many passwords at once does not keep others from setting one', async () => {
  // A tenth of the full cost is enough to keep the queue full.
  const hashCost = { ...defaultHashCost, memoryCost: Math.ceil(defaultHashCost.memoryCost / 10) };
  const app = await startApp({ overrides: { hashCost } });
  const [busy, other] = [await app.createAccount(), await app.createAccount()];
  const create = async ({ key }: TestAccount): Promise<number> => {
    const body = { destination_url: 'https://example.com', password: 'sesame' };
    return (await app.call('POST', '/api/v1/link?disable_png=true', { key, body })).status;
  };
  const statuses: number[] = [];
  const { promise: isFull, resolve: setFull } = Promise.withResolvers<void>();
  let isOver = false;
  const flood = Array.from({ length: 120 }, async () => {
    while (!isOver) {
      const status = await create(busy);
      statuses.push(status);
      if (status === 503) setFull();
    }
  });
  await isFull;
  const others = [await create(other), await create(other), await create(other), await create(other)];
  isOver = true;
  await Promise.all(flood);
  expect(others).toEqual([201, 201, 201, 201]);
  expect(new Set(statuses)).toEqual(new Set([201, 503]));
  expect(app.faults).toEqual([]);
  await app.stop();
});
