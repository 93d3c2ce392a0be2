import { expect, test } from 'bun:test';
import type { FoldBatch } from '../src/ledger/fold-store.ts';
import { PostgresFoldStore } from '../src/ledger/stores/postgres-fold-store.ts';
import { hitColumns } from '../src/rules/click-fields.ts';
import { migratedPostgres } from './support/migrated-store.ts';
import { startSlowProxy } from './support/slow-proxy.ts';

/** The only batch of its journal, with no hits to write. */
const batchOf = (journal: string): FoldBatch => ({
  journal,
  now: 0,
  from: null,
  to: { segment: 1, offset: 1 },
  sweep: 0,
  newWords: new Map(),
  hits: { columns: hitColumns.map(() => new Float64Array()), count: 0 },
  isByLink: false,
  order: null,
  visitors: [],
  linkHours: { numbers: new Float64Array(), counts: [] },
  organizationRollups: new Float64Array(),
  linkClicks: new Float64Array(),
});

test('a fold into PostgreSQL uses larger batches while it is fast, and never smaller ones than at the start', async () => {
  const url = new URL(await migratedPostgres());
  await using proxy = startSlowProxy(Number(url.port));
  url.port = String(proxy.port);
  const store = new PostgresFoldStore(url.href);
  const initialLength = store.batchLength();
  // On a busy machine any single fold may be slow.
  for (let count = 0; count < 1_000 && store.batchLength() === initialLength; count++)
    await store.fold(batchOf(`fast ${count}`), () => []);
  expect(store.batchLength()).toBeGreaterThan(initialLength);
  proxy.delay = 20;
  await store.fold(batchOf('slow'), () => []);
  expect(store.batchLength()).toBe(initialLength);
  await store.close();
});
