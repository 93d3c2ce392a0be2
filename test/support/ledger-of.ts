import { ClickhouseHits } from '../../src/ledger/clickhouse/clickhouse-hits.ts';
import { ClickhouseWriter } from '../../src/ledger/clickhouse/clickhouse-writer.ts';
import type { FoldStore } from '../../src/ledger/fold-store.ts';
import { PostgresFoldStore } from '../../src/ledger/stores/postgres-fold-store.ts';
import { SqliteFoldStore } from '../../src/ledger/stores/sqlite-fold-store.ts';
import type { Database } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open.ts';
import type { Queries } from '../../src/storage/schema.ts';
import { type StoreKind, storeKinds } from './app.ts';
import { BatchFolder, type NewHit } from './batch-folder.ts';
import { freshClickhouse, hasClickhouse, serverOf } from './clickhouse.ts';
import { migratedPostgres, migratedSqlite } from './migrated-store.ts';
import { temporaryFolder } from './program.ts';

/** `clickhouse` has hits in ClickHouse, and everything else in PostgreSQL. */
export type LedgerKind = StoreKind | 'clickhouse';

/** Those that can be tested here. */
export const ledgerKinds = async (): Promise<readonly LedgerKind[]> =>
  (await hasClickhouse()) ? [...storeKinds, 'clickhouse'] : storeKinds;

/** The number of hits in a chunk, far smaller than in production. */
const smallChunk = 150;

/** A store with a fold that only appends hits to the ledger. */
export interface TestLedger extends AsyncDisposable {
  readonly database: Database;
  readonly store: FoldStore;
  readonly dataDir: string;
  /** The URL of PostgreSQL; null for SQLite. */
  readonly url: string | null;
  /**
   * Appends hits as rows, in the given order, or as a long batch: sorted by link, in packs where there are enough.
   * `sweep` is the sweep in which their words were looked up, by default the newest.
   */
  append(hits: readonly NewHit[], as: 'rows' | 'packs', sweep?: number, by?: FoldStore): Promise<void>;
  /** Merges hits into chunks where the store has them, and deletes the rows and packs that were merged long enough ago. */
  merge(now: number): Promise<void>;
}

/** `links` are those of each organization. */
export async function testLedger(
  kind: LedgerKind,
  links: ReadonlyMap<number, readonly number[]>,
  hitsInChunk = smallChunk,
): Promise<TestLedger> {
  const folder = await temporaryFolder();
  const url = kind === 'sqlite' ? null : await migratedPostgres();
  if (url === null) await migratedSqlite(folder.path);
  const opened = await openDatabase(url, folder.path, () => {});
  const clicks = kind === 'clickhouse' ? serverOf(await freshClickhouse()) : null;
  const database = clicks === null ? opened : { ...opened, hits: ClickhouseHits.of(clicks, 2_000) };
  await database.write((queries) => insertLinks(queries, links));
  const store: FoldStore =
    url === null
      ? new SqliteFoldStore(folder.path, hitsInChunk)
      : new PostgresFoldStore(url, hitsInChunk, clicks && (() => ClickhouseWriter.open(clicks, 'this', 0)));
  const batches = new BatchFolder(store);
  return {
    database,
    store,
    dataDir: folder.path,
    url,
    async append(hits, as, sweep, by = store) {
      await batches.fold(hits, as === 'packs', sweep ?? (await by.newestSweep()), by);
    },
    async merge(now) {
      while (await store.chunkSome(now));
    },
    async [Symbol.asyncDispose]() {
      await store.close();
      await database.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function insertLinks(queries: Queries, links: ReadonlyMap<number, readonly number[]>): Promise<void> {
  for (const [organization_id, ids] of links) {
    const common = { created_at: 1, updated_at: 1, organization_id };
    await queries
      .insertInto('organizations')
      .values({ id: organization_id, created_at: 1, name: '' })
      .execute();
    const rows = ids.map((id) => ({
      ...common,
      id,
      domain_id: 0,
      suffix: `link-${id}`,
      destination_url: 'https://example.com',
      qr_foreground: '#000',
      qr_background: '#fff',
      qr_png: 0,
      bot_protection: 0,
      captcha: 0,
      search_text: `\nlink-${id}\nhttps://example.com`,
    }));
    if (rows.length > 0) await queries.insertInto('links').values(rows).execute();
  }
}
