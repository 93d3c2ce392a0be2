import { expect, test } from 'bun:test';
import type { FoldBatch } from '../src/ledger/fold-store.ts';
import { PostgresFoldStore } from '../src/ledger/postgres-fold-store.ts';
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

test('a fold into PostgreSQL takes more hits at a time where it is quick, and never fewer than at first', async () => {
  const url = new URL(await migratedPostgres());
  await using proxy = startSlowProxy(Number(url.port));
  url.port = String(proxy.port);
  const store = new PostgresFoldStore(url.href);
  const first = store.batchLength();
  // On a busy machine any single one may be slow.
  for (let count = 0; count < 1_000 && store.batchLength() === first; count++)
    await store.fold(batchOf(`quick ${count}`), () => []);
  expect(store.batchLength()).toBeGreaterThan(first);
  proxy.delay = 20;
  await store.fold(batchOf('slow'), () => []);
  expect(store.batchLength()).toBe(first);
  await store.close();
});
