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
import { foldMonths, links } from './asking-store.ts';

/** A store with months of clicks, made by the real fold. */
export interface AskedStore extends AsyncDisposable {
  readonly dataDir: string;
  /** Empty for SQLite. */
  readonly databaseUrl: string;
  readonly owner: Owner;
  /** Of the database server; null where there is none. */
  readonly serverPid: number | null;
  firstSuffix(): Promise<string>;
  /** How many hits are in no chunk yet. */
  unmerged(): Promise<number>;
}

const firstSuffixSql = 'select suffix from links where id = 1';
const mergedSql = 'select coalesce(sum(hits), 0) as hits from hit_chunks';
/** Those of past days, which a server that ran all the while would have deleted day by day. */
const forgetVisitorsSql = 'delete from daily_visitors';

/** In a folder, one that an earlier run has left there. */
export async function askedSqlite(hits: number, folder: string | undefined): Promise<AskedStore> {
  const store = await sqliteStore(hits, folder);
  const first = async (sql: string) => {
    using database = new Database(join(store.dataDir, 'linnet.sqlite'), { readonly: true });
    return database.query(sql).values()[0]?.[0];
  };
  return {
    dataDir: store.dataDir,
    databaseUrl: '',
    owner: store.owner,
    serverPid: null,
    firstSuffix: async () => String(await first(firstSuffixSql)),
    unmerged: async () => hits - Number(await first(mergedSql)),
    async [Symbol.asyncDispose]() {
      store[Symbol.dispose]();
    },
  };
}

async function sqliteStore(hits: number, folder: string | undefined): Promise<SeededStore> {
  const kept = folder === undefined ? null : join(folder, 'owner.json');
  if (folder !== undefined && kept !== null && existsSync(kept))
    return { dataDir: folder, owner: await Bun.file(kept).json(), [Symbol.dispose]() {} };
  const store = await seededStore(links);
  await foldMonths(store, hits);
  using database = new Database(join(store.dataDir, 'linnet.sqlite'));
  database.run(forgetVisitorsSql);
  database.run('pragma wal_checkpoint(truncate)');
  if (folder === undefined || kept === null) return store;
  cpSync(store.dataDir, folder, { recursive: true });
  await Bun.write(kept, JSON.stringify(store.owner));
  return store;
}

/**
 * The links come from a SQLite store, as a backup does. With `copies`, only a part of the hits is folded, and the ledger has it
 * so many times: that takes a tenth of the time.
 */
export async function askedPostgres(hits: number, copies: number): Promise<AskedStore> {
  const seeded = await seededStore(links);
  const postgres = await startPostgres();
  const { url: databaseUrl } = postgres;
  const backup = readSqlite(join(seeded.dataDir, 'linnet.sqlite'), new Date());
  await restore(backup, await PostgresTarget.open(databaseUrl));
  await foldMonths(seeded, hits / copies, databaseUrl);
  const sql = new SQL({ url: databaseUrl, max: 1 });
  await copyHits(sql, copies);
  await sql.unsafe(forgetVisitorsSql);
  // As autovacuum does in time.
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
