import { type ChunkRow, ChunkScan } from '../ledger/chunks/chunk-scan.ts';
import { columnsInMemory } from '../ledger/chunks/chunk-store.ts';
import { chunkOfKey } from '../ledger/chunks/hit-chunk.ts';
import { hitColumns } from '../rules/click-fields.ts';
import type { BackupPart } from './backup-stream.ts';

type Cell = string | number;

/** Converts the chunks of a backup into rows: their facts come first, then column after column. */
export class HitsFromChunks {
  readonly #chunks = new Map<number, ChunkRow>();
  #current = 0;
  #columns = new Map<number, Uint8Array>();

  takeFacts(json: string, columns: readonly string[]): void {
    for (const cells of JSON.parse(json) as Cell[][]) {
      const facts = Object.fromEntries(columns.map((name, index) => [name, Number(cells[index])]));
      const chunk = { ...facts, first_row: 0, end_row: facts.hits } as unknown as ChunkRow;
      this.#chunks.set(chunk.id, chunk);
    }
  }

  /** Columns are sorted by key: those of a chunk are adjacent. */
  *takeColumns(json: string, columns: readonly string[]): Generator<BackupPart> {
    const [key, cells] = ['key', 'cells'].map((name) => columns.indexOf(name)) as [number, number];
    for (const row of JSON.parse(json) as Cell[][]) {
      const columnKey = Number(row[key]);
      if (chunkOfKey(columnKey) !== this.#current) yield* this.finish();
      this.#current = chunkOfKey(columnKey);
      this.#columns.set(columnKey, new Uint8Array(Buffer.from(String(row[cells]), 'hex')));
    }
  }

  /** The hits of the last chunk. */
  *finish(): Generator<BackupPart> {
    const chunk = this.#chunks.get(this.#current);
    const columns = this.#columns;
    this.#columns = new Map();
    if (chunk === undefined || columns.size === 0) return;
    const store = columnsInMemory(Array.from(columns, ([key, cells]) => ({ key, cells })));
    const rows = new ChunkScan(store, chunk).storedHits.map((hit) => [
      hit.id,
      ...hitColumns.map((name) => hit[name]),
    ]);
    yield { part: 'rows', json: JSON.stringify(rows), count: rows.length };
  }
}
