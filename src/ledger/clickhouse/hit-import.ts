import { hitColumns } from '../../rules/click-fields.ts';
import type { ClickhouseClient } from './clickhouse-client.ts';
import { prepareTables } from './clickhouse-tables.ts';
import { hitBlock, insertHitsSql } from './hit-block.ts';
import { noteMoved } from './uncounted-batches.ts';

const hitsAtOnce = 65_536;
/** Milliseconds. */
const timeout = 60_000;

/** Fills a database without hits that belongs to no store yet. */
export class HitImport {
  readonly storeId: string;
  readonly #client: ClickhouseClient;
  #ids: number[] = [];
  #columns: number[][] = hitColumns.map(() => []);
  #inserted = 0;

  private constructor(client: ClickhouseClient, storeId: string) {
    this.#client = client;
    this.storeId = storeId;
  }

  /** Null if the database already belongs to a store. */
  static async open(client: ClickhouseClient, storeId: string): Promise<HitImport | null> {
    if ((await client.stores())?.length) return null;
    await prepareTables(client, storeId, false);
    return new HitImport(client, storeId);
  }

  async take(columns: readonly string[], rows: readonly (readonly unknown[])[]): Promise<void> {
    const id = columns.indexOf('id');
    const indexes = hitColumns.map((name) => columns.indexOf(name));
    for (const row of rows) {
      this.#ids.push(Number(row[id]));
      for (const [column, index] of indexes.entries()) this.#columns[column]?.push(Number(row[index] ?? 0));
    }
    if (this.#ids.length >= hitsAtOnce) await this.#flush();
  }

  async finish(newestId: number): Promise<void> {
    await this.#flush();
    await noteMoved(this.#client, newestId, Date.now());
  }

  async #flush(): Promise<void> {
    const [ids, columns] = [this.#ids, this.#columns];
    if (ids.length === 0) return;
    this.#ids = [];
    this.#columns = hitColumns.map(() => []);
    const hits = { columns: columns.map((cells) => Float64Array.from(cells)), count: ids.length };
    const block = hitBlock(hits, (row) => ids[row] ?? 0);
    await this.#client.insert(insertHitsSql, block, `restored ${this.#inserted++}`, timeout);
  }
}
