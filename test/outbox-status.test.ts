import { expect, test } from 'bun:test';
import { outboxStatus } from '../src/storage/webhooks/outbox-status.ts';
import { insertDeliveries, type NewDelivery } from '../src/storage/webhooks/webhook-queue.ts';
import { storeKinds } from './support/app.ts';
import { openedDatabase } from './support/migrated-store.ts';
import { webhookDelivery } from './support/webhook-delivery.ts';

const delivery = (target: string, nextTryAt: number | null) =>
  webhookDelivery(1, `https://${target}.example.com/`, nextTryAt);

test.each(storeKinds)(
  'the outbox on %s reports how many messages are to be sent, and how long the oldest has been due, for any target',
  async (store) => {
    await using database = await openedDatabase(store);
    const status = () => outboxStatus(database.read);
    const insert = (rows: readonly NewDelivery[]) =>
      database.write((queries) => insertDeliveries(queries, rows));

    expect(await status()).toEqual({ waiting: 0, oldest: null });
    await insert([delivery('b', null)]);
    expect(await status()).toEqual({ waiting: 0, oldest: null });
    await insert([delivery('a', 500), delivery('a', 400), delivery('b', 900)]);
    expect(await status()).toEqual({ waiting: 3, oldest: 400 });
    await insert([delivery('c', 300), delivery('d', 700)]);
    expect(await status()).toEqual({ waiting: 5, oldest: 300 });
  },
);
