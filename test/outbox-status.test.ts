import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Database } from '../src/storage/database.ts';
import { openDatabase } from '../src/storage/open.ts';
import { outboxStatus } from '../src/storage/webhooks/outbox-status.ts';
import { insertDeliveries, type NewDelivery } from '../src/storage/webhooks/webhook-queue.ts';
import { storeKinds } from './support/app.ts';
import { migratedPostgres, migratedSqlite } from './support/migrated-store.ts';
import { temporaryFolder } from './support/program.ts';
import { webhookDelivery } from './support/webhook-delivery.ts';

const delivery = (target: string, nextTryAt: number | null) =>
  webhookDelivery(1, `https://${target}.example.com/`, nextTryAt);

describe.each(storeKinds)('the outbox on %s', (store) => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let database: Database;
  beforeAll(async () => {
    folder = await temporaryFolder();
    if (store === 'sqlite') await migratedSqlite(folder.path);
    const url = store === 'postgres' ? await migratedPostgres() : null;
    database = await openDatabase(url, folder.path, () => {});
  });
  afterAll(async () => {
    await database.close();
    await folder[Symbol.asyncDispose]();
  });

  const status = () => outboxStatus(database.read);
  const insert = (rows: readonly NewDelivery[]) =>
    database.write((queries) => insertDeliveries(queries, rows));

  test('reports how many messages are to be sent, and how long the oldest has been due, for any target', async () => {
    expect(await status()).toEqual({ waiting: 0, oldest: null });
    await insert([delivery('b', null)]);
    expect(await status()).toEqual({ waiting: 0, oldest: null });
    await insert([delivery('a', 500), delivery('a', 400), delivery('b', 900)]);
    expect(await status()).toEqual({ waiting: 3, oldest: 400 });
    await insert([delivery('c', 300), delivery('d', 700)]);
    expect(await status()).toEqual({ waiting: 5, oldest: 300 });
  });
});
