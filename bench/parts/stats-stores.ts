import { Database } from 'bun:sqlite';
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { SQL } from 'bun';
import { PostgresTarget } from '../../src/backup/postgres-target.ts';
import { restore } from '../../src/backup/restore.ts';
import { readSqlite } from '../../src/backup/sqlite-source.ts';
import type { Owner } from '../owner.ts';
import { startPostgres } from '../postgres.ts';
import { type SeededStore, seededStore } from '../seed.ts';
import { foldMonths, links } from './months-of-hits.ts';

/** A store with months of clicks, folded by Linnet itself. */
export interface StatsStore extends AsyncDisposable {
  readonly dataDir: string;
  /** Empty for SQLite. */
  readonly databaseUrl: string;
  readonly owner: Owner;
  /** The database server; null if there is none. */
  readonly serverPid: number | null;
  firstSuffix(): Promise<string>;
  /** The number of hits that are not in chunks yet. */
  unmerged(): Promise<number>;
}

const firstSuffixSql = 'select suffix from links where id = 1';
const mergedSql = 'select coalesce(sum(hits), 0) as hits from hit_chunks';
/** Visitors of past days, which a running server would have deleted day by day. */
const deleteVisitorsSql = 'delete from daily_visitors';

/** With `folder`, reuses the store that an earlier run has left there. */
export async function sqliteStatsStore(hits: number, folder: string | undefined): Promise<StatsStore> {
  const store = await seededSqlite(hits, folder);
  const firstValue = async (sql: string) => {
    using database = new Database(join(store.dataDir, 'linnet.sqlite'), { readonly: true });
    return database.query(sql).values()[0]?.[0];
  };
  return {
    dataDir: store.dataDir,
    databaseUrl: '',
    owner: store.owner,
    serverPid: null,
    firstSuffix: async () => String(await firstValue(firstSuffixSql)),
    unmerged: async () => hits - Number(await firstValue(mergedSql)),
    async [Symbol.asyncDispose]() {
      store[Symbol.dispose]();
    },
  };
}

async function seededSqlite(hits: number, folder: string | undefined): Promise<SeededStore> {
  const ownerFile = folder === undefined ? null : join(folder, 'owner.json');
  if (folder !== undefined && ownerFile !== null && existsSync(ownerFile))
    return { dataDir: folder, owner: await Bun.file(ownerFile).json(), [Symbol.dispose]() {} };
  const store = await seededStore(links);
  await foldMonths(store.dataDir, store.owner.organizationId, hits);
  using database = new Database(join(store.dataDir, 'linnet.sqlite'));
  database.run(deleteVisitorsSql);
  database.run('pragma wal_checkpoint(truncate)');
  if (folder === undefined || ownerFile === null) return store;
  cpSync(store.dataDir, folder, { recursive: true });
  await Bun.write(ownerFile, JSON.stringify(store.owner));
  return store;
}

/**
 * The links are restored from a backup of a SQLite store. With `copies`, only a part of the hits is folded, and then copied this many
 * times in the ledger, which takes a tenth of the time.
 */
export async function postgresStatsStore(hits: number, copies: number): Promise<StatsStore> {
  const seeded = await seededStore(links);
  const postgres = await startPostgres();
  const { url: databaseUrl } = postgres;
  const backup = readSqlite(join(seeded.dataDir, 'linnet.sqlite'), new Date());
  await restore(backup, await PostgresTarget.open(databaseUrl));
  await foldMonths(seeded.dataDir, seeded.owner.organizationId, hits / copies, databaseUrl);
  const sql = new SQL({ url: databaseUrl, max: 1 });
  await copyHits(sql, copies);
  await sql.unsafe(deleteVisitorsSql);
  // As autovacuum would do eventually.
  await sql.unsafe('vacuum analyze');
  return {
    dataDir: seeded.dataDir,
    databaseUrl,
    owner: seeded.owner,
    serverPid: postgres.pid,
    firstSuffix: async () => String((await sql.unsafe(firstSuffixSql))[0].suffix),
    unmerged: async () => hits - Number((await sql.unsafe(mergedSql))[0].hits),
    async [Symbol.asyncDispose]() {
      await sql.end();
      await postgres[Symbol.asyncDispose]();
      seeded[Symbol.dispose]();
    },
  };
}

async function copyHits(sql: SQL, copies: number): Promise<void> {
  const [{ newest }] = await sql.unsafe('select newest from hit_ids');
  for (let copy = 1; copy < copies; copy++) {
    const shift = copy * Number(newest);
    for (const [table, id] of Object.entries({ hits: 'id', hit_packs: 'id', hit_pack_links: 'pack_id' })) {
      const columns = await sql.unsafe(
        `select attname as name from pg_attribute where attrelid = '${table}'::regclass and attnum > 0 order by attnum`,
      );
      const names = columns.map(({ name }: { name: string }) => name);
      const shifted = names.map((name: string) => (name === id ? `${id} + ${shift}` : name));
      await sql.unsafe(
        `insert into ${table} (${names}) select ${shifted} from ${table} where ${id} <= ${newest} order by ${id}`,
      );
    }
  }
  await sql.unsafe(`update hit_ids set newest = newest * ${copies}`);
  await sql.unsafe(`update organization_rollups set hits = hits * ${copies}`);
}
