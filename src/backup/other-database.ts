import { HitPack } from '../ledger/packs/hit-pack.ts';
import { hitColumns } from '../rules/click-fields.ts';
import type { BackupPart, Cells, RowsPart } from './backup-stream.ts';
import { HitsFromChunks } from './hits-from-chunks.ts';

const hitsAtOnce = 4_096;
/** Their content is in the rows. */
const ignoredTables: ReadonlySet<string> = new Set([
  'hit_pack_links',
  'hit_chunk_links',
  'hit_chunk_tallies',
]);

/**
 * The parts of a backup for a database of the other kind. Both have the same tables, except for those of packed hits: these
 * become rows, which every database has.
 */
export async function* withRowsForPacks(parts: AsyncIterable<BackupPart>): AsyncGenerator<BackupPart> {
  let table = '';
  let columns: readonly string[] = [];
  let newestHit = 0;
  const fromChunks = new HitsFromChunks();
  for await (const part of parts) {
    if (part.part !== 'rows') yield* fromChunks.finish();
    if (part.part === 'table') [table, columns] = [part.name, part.columns];
    if (part.part === 'ids') {
      const hits = Math.max(newestHit, part.last.hits ?? 0);
      yield { part: 'ids', last: hits > 0 ? { ...part.last, hits } : part.last };
    } else if (table === 'hit_packs') {
      if (part.part === 'table') yield { ...part, name: 'hits', columns: ['id', ...hitColumns], bytes: [] };
      else yield* rowsOf(part.json, columns);
    } else if (table === 'hit_ids') {
      if (part.part === 'rows')
        newestHit = Number(JSON.parse(part.json)[0]?.[columns.indexOf('newest')] ?? 0);
    } else if (table === 'hit_chunks') {
      if (part.part === 'rows') fromChunks.takeFacts(part.json, columns);
    } else if (table === 'hit_chunk_columns') {
      if (part.part === 'table') yield { ...part, name: 'hits', columns: ['id', ...hitColumns], bytes: [] };
      else yield* fromChunks.takeColumns(part.json, columns);
    } else if (table === 'link_hours' && part.part === 'rows') yield withZeros(part);
    else if (!ignoredTables.has(table)) yield part;
  }
}

/** PostgreSQL stores the zeros of a link's hour as null; SQLite allows no nulls there. */
function withZeros({ json, count }: RowsPart): BackupPart {
  const rows = (JSON.parse(json) as Cells[]).map((row) => row.map((cell) => cell ?? 0));
  return { part: 'rows', json: JSON.stringify(rows), count };
}

function* rowsOf(json: string, columns: readonly string[]): Generator<BackupPart> {
  const [id, hits, cells] = ['id', 'hits', 'cells'].map((name) => columns.indexOf(name)) as [
    number,
    number,
    number,
  ];
  let rows: number[][] = [];
  for (const row of JSON.parse(json) as (string | number)[][]) {
    const bytes = new Uint8Array(Buffer.from(String(row[cells]), 'hex'));
    const pack = new HitPack({ id: Number(row[id]), hits: Number(row[hits]), cells: bytes });
    const values = hitColumns.map((name) => (name === 'reason' ? pack.storedReasons : pack.column(name)));
    for (let hit = 0; hit < pack.count; hit++)
      rows.push([pack.id + hit, ...values.map((column) => column[hit] ?? 0)]);
    if (rows.length < hitsAtOnce) continue;
    yield { part: 'rows', json: JSON.stringify(rows), count: rows.length };
    rows = [];
  }
  if (rows.length > 0) yield { part: 'rows', json: JSON.stringify(rows), count: rows.length };
}
