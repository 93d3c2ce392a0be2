import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  claimDue,
  DueQueues,
  insertDeliveries,
  type NewDelivery,
} from '../src/storage/webhooks/webhook-queue.ts';
import { storeKinds } from './support/app.ts';
import { openedDatabase } from './support/migrated-store.ts';
import { webhookDelivery } from './support/webhook-delivery.ts';

describe.each(storeKinds)('queues of webhook deliveries on %s', (store) => {
  let database: Awaited<ReturnType<typeof openedDatabase>>;
  beforeAll(async () => {
    database = await openedDatabase(store);
  });
  afterAll(() => database[Symbol.asyncDispose]());

  const insert = (rows: readonly NewDelivery[]) =>
    database.write((queries) => insertDeliveries(queries, rows));

  test('are found if a delivery is due, each once', async () => {
    const queues = new DueQueues();
    expect(await queues.find(database.read, 1_000)).toEqual([]);
    await insert([
      webhookDelivery(1, 'https://a.example/', 900),
      webhookDelivery(1, 'https://a.example/', 1_000),
      webhookDelivery(1, 'https://b.example/', 1_001),
      webhookDelivery(1, 'https://c.example/', null),
      webhookDelivery(2, 'https://a.example/', 1_000),
      webhookDelivery(3, 'https://a.example/', 1_001),
    ]);
    const found = [
      { organization_id: 1, target_url: 'https://a.example/' },
      { organization_id: 2, target_url: 'https://a.example/' },
    ];
    expect(await queues.find(database.read, 1_000)).toEqual(found);
    expect(await queues.find(database.read, 1_000)).toEqual(found);
  });

  test('are claimed for one organization, oldest first', async () => {
    const target_url = 'https://shared.example/';
    await insert([2, 4, 3, 1].map((at) => webhookDelivery(4, target_url, at)));
    await insert([webhookDelivery(5, target_url, 0)]);
    const claim = (max: number) =>
      database.write((queries) =>
        claimDue(queries, { organization_id: 4, target_url }, { max, now: 3, until: 100 }),
      );
    const claimed = await claim(2);
    expect(claimed.map((row) => [row.organization_id, row.next_try_at, row.claimed_until])).toEqual([
      [4, 100, 100],
      [4, 100, 100],
    ]);
    expect([(await claim(2)).length, (await claim(2)).length]).toEqual([1, 0]);
  });

  test('of an organization with thousands of targets are found in parts, and hide no others', async () => {
    const many = Array.from({ length: 2_500 }, (_, index) => `https://example.com/${10_000 + index}`);
    await insert(many.map((target, index) => webhookDelivery(6, target, index % 2 === 0 ? 2_000 : 9_000)));
    await insert([webhookDelivery(7, 'https://other.example/', 2_000)]);
    const queues = new DueQueues();
    const parts = [];
    for (let part = 0; part < 4; part++) {
      const found = await queues.find(database.read, 2_000);
      expect(found.filter(({ organization_id }) => organization_id === 7)).toHaveLength(1);
      parts.push(
        found.filter(({ organization_id }) => organization_id === 6).map(({ target_url }) => target_url),
      );
    }
    expect(parts.map(({ length }) => length)).toEqual([500, 500, 250, 500]);
    expect(parts.slice(0, 3).flat()).toEqual(many.filter((_, index) => index % 2 === 0));
    expect(parts[3]).toEqual(parts[0]);
  });
});
