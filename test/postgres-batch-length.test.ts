import { expect, test } from 'bun:test';
import { PostgresFoldStore } from '../src/ledger/stores/postgres-fold-store.ts';
import { emptyBatch } from './support/empty-batch.ts';
import { migratedPostgres } from './support/migrated-store.ts';
import { startSlowProxy } from './support/slow-proxy.ts';

test('a fold into PostgreSQL uses larger batches while it is fast, and never smaller ones than at the start', async () => {
  const url = new URL(await migratedPostgres());
  await using proxy = startSlowProxy(Number(url.port));
  url.port = String(proxy.port);
  const store = new PostgresFoldStore(url.href);
  const initialLength = store.batchLength();
  // On a busy machine any single fold may be slow.
  for (let count = 0; count < 1_000 && store.batchLength() === initialLength; count++)
    await store.fold(emptyBatch(`fast ${count}`), () => []);
  expect(store.batchLength()).toBeGreaterThan(initialLength);
  proxy.delay = 20;
  await store.fold(emptyBatch('slow'), () => []);
  expect(store.batchLength()).toBe(initialLength);
  await store.close();
});
