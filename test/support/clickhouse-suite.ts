import { afterAll, beforeAll, beforeEach, expect } from 'bun:test';
import type { Position } from '../../src/journal/files.ts';
import { ClickhouseHits } from '../../src/ledger/clickhouse/clickhouse-hits.ts';
import { ClickhouseWriter } from '../../src/ledger/clickhouse/clickhouse-writer.ts';
import type { StoredHit } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { PostgresFoldStore } from '../../src/ledger/stores/postgres-fold-store.ts';
import { hitColumns } from '../../src/rules/click-fields.ts';
import type { Database } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { freshClickhouse, serverOf } from './clickhouse.ts';
import { ClickhouseProxy } from './clickhouse-proxy.ts';
import { emptyBatch } from './empty-batch.ts';
import { migratedPostgres } from './migrated-store.ts';

export const december = Date.UTC(2026, 11);
export const at = (offset: number): Position => ({ segment: 1, offset });

interface ClickhouseSuite {
  /** The tables in PostgreSQL, and the hits in ClickHouse. */
  database: Database;
  /** The URL of the database in ClickHouse. */
  clickhouse: string;
  hits: ClickhouseHits;
  /** Between the fold and ClickHouse. */
  proxy: ClickhouseProxy;
  store: PostgresFoldStore;
  /** Of each test: the name of a journal, and the link whose hits are in it. */
  journal: string;
  link: number;
}

/** A fold whose hits are stored in ClickHouse. Does nothing where that isn't installed. */
export function clickhouseSuite(isInstalled: boolean) {
  const suite = { link: 0 } as ClickhouseSuite;
  let postgres: string;
  let postgresDatabase: Database;

  const newStore = () =>
    new PostgresFoldStore(postgres, undefined, () =>
      ClickhouseWriter.open(serverOf(suite.proxy.url), 'this', 0),
    );

  beforeAll(async () => {
    if (!isInstalled) return;
    postgres = await migratedPostgres();
    postgresDatabase = await openDatabase(postgres, '', () => {});
    suite.clickhouse = await freshClickhouse();
    suite.proxy = new ClickhouseProxy(suite.clickhouse);
    suite.hits = ClickhouseHits.of(serverOf(suite.clickhouse));
    await suite.hits.prepare('this');
    suite.database = { ...postgresDatabase, hits: suite.hits };
    suite.store = newStore();
  }, 60_000);
  afterAll(async () => {
    if (!isInstalled) return;
    await suite.store.close();
    await postgresDatabase.close();
    suite.proxy[Symbol.dispose]();
  });
  beforeEach(() => {
    if (!isInstalled) return;
    suite.proxy.onInsertion = null;
    suite.journal = `here/${++suite.link}`;
  });

  /** Folds hits of the journal's own link, a second apart around the end of a month; `numbers` are their countries. */
  async function fold(
    from: Position | null,
    to: Position,
    numbers: readonly number[],
    { foldStore = suite.store, name = suite.journal, link = suite.link, deliveries = () => [] as const } = {},
  ): Promise<void> {
    const cells: Partial<Record<string, (number: number) => number>> = {
      link_id: () => link,
      organization_id: () => 1 + (link % 2),
      at: (number) => december + (number - 3) * 1_000,
      country: (number) => number,
    };
    const columns = hitColumns.map((column) =>
      Float64Array.from(numbers, (number) => cells[column]?.(number) ?? 0),
    );
    await foldStore.fold(
      {
        ...emptyBatch(name),
        ...{ now: december, from, to },
        hits: { columns, count: numbers.length },
        linkClicks: Float64Array.of(link, numbers.length, december),
      },
      deliveries,
    );
  }

  async function hitsOf(link: number): Promise<readonly StoredHit[]> {
    const page = { before: undefined, limit: 1_000, offset: 0 };
    const owner = { kind: 'link', id: link, organizationId: 1 + (link % 2) } as const;
    return (await openLedger(suite.database).before({ owner }, page)).hits.toReversed();
  }

  /** The ledger's hits of the journal's link, and the clicks counted for it. */
  async function counted(link = suite.link): Promise<readonly [hits: readonly number[], clicks: number]> {
    const hits = await hitsOf(link);
    const row = suite.database.read.selectFrom('link_clicks').select('clicks').where('link_id', '=', link);
    expect(new Set(hits.map(({ id }) => id)).size).toBe(hits.length);
    return [hits.map(({ country }) => country), (await row.executeTakeFirst())?.clicks ?? 0];
  }

  return { suite, newStore, fold, hitsOf, counted };
}
