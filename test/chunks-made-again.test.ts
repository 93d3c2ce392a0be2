import { expect, test } from 'bun:test';
import { correctionStep } from '../src/ledger/corrections/correction-step.ts';
import { openLedger } from '../src/ledger/open-ledger.ts';
import { dayLength } from '../src/rules/durations.ts';
import { insertCorrection, type StoredCorrection } from '../src/storage/click-corrections.ts';
import type { Database } from '../src/storage/database.ts';
import { zeroColumns } from './support/batch-folder.ts';
import { rebuildFrom } from './support/hits.ts';
import { testLedger } from './support/ledger-of.ts';

const begin = Date.UTC(2026, 10, 19, 9);
const claim = { now: () => begin + 10 * dayLength, length: 1_000 };

async function erase(database: Database, from: number, to: number): Promise<void> {
  let at: StoredCorrection | null = await database.write((queries) =>
    insertCorrection(queries, {
      ...{ created_at: claim.now(), due_at: claim.now(), from_at: from, to_at: to },
      ...{ organization_id: 1, link_id: null, user_id: 1 },
      ...{ from_class: null, to_class: null, way_back_of: null },
    }),
  );
  while (at !== null && at.due_at !== null) at = await correctionStep(database, at, claim);
}

test('a list whose chunks are deleted by an erasure and made again meanwhile has all hits that are left', async () => {
  await using store = await testLedger('postgres', new Map([[1, [11]]]), 150);
  const { database } = store;
  const hits = Array.from({ length: 700 }, (_, index) => ({
    ...{ ...zeroColumns, link_id: 11, organization_id: 1, target: 1 },
    at: begin + index * 1_000,
  }));
  await store.append(hits, 'rows');
  await store.merge(begin);
  await rebuildFrom(database);
  let isFirst = true;
  const interrupted = {
    ...database,
    compute: async (job: string, input: unknown) => {
      if (isFirst) {
        isFirst = false;
        await erase(database, begin + 500_000, begin + 530_000);
        await store.merge(begin);
      }
      return database.compute(job, input as never);
    },
  } as Database;
  const owner = { kind: 'organization', id: 1 } as const;
  const page = { before: undefined, limit: 10_000, offset: 0 };
  expect((await openLedger(interrupted).before({ owner }, page)).hits).toHaveLength(670);
});
