import { hitColumns } from '../rules/click-fields.ts';
import type { Watermark } from '../storage/journal-watermarks.ts';
import { hitMove, hitStoreId, hitsMovedAt, hitTablesMade } from '../storage/moved-hits.ts';
import type { BackupPart, BackupStream } from './backup-stream.ts';
import { withRowsForPacks } from './other-database.ts';

/** Reads the hits of a store from another server, for a backup. */
export interface HitSource {
  /** The counted hits, each as a JSON array of these columns, many at a time. */
  rows(columns: readonly string[], counted: readonly Watermark[]): AsyncIterable<readonly string[]>;
}

/** Fills an empty server, for a restore. */
interface HitSink {
  readonly storeId: string;
  take(columns: readonly string[], rows: readonly (readonly unknown[])[]): Promise<void>;
  /** Must be called once all hits have been taken. Later hits get ids above this one. */
  finish(newestId: number): Promise<void>;
}

/** Tables of hits: if the hits are on another server, these are empty, or have copies of some. */
export const hitTables: ReadonlySet<string> = new Set(['hits', 'hit_packs', 'hit_pack_links']);

/** Settings about the server with the hits, which only this store uses. */
const hitServerSettings: ReadonlySet<unknown> = new Set([hitStoreId, hitTablesMade, hitMove, hitsMovedAt]);

/** Removes those settings from a backup, and passes its hits to `sink` if there is one. */
export function withHitsFor(backup: BackupStream, sink: HitSink | null): BackupStream {
  const parts = sink === null ? backup.parts : hitsInto(sink, withRowsForPacks(backup.parts));
  return { ...backup, parts: withSettings(parts, sink?.storeId ?? null) };
}

async function* withSettings(
  parts: AsyncIterable<BackupPart>,
  storeId: string | null,
): AsyncGenerator<BackupPart> {
  let isSettings = false;
  let key = 0;
  for await (const part of parts) {
    if (part.part === 'table') {
      isSettings = part.name === 'settings';
      key = part.columns.indexOf('key');
      yield part;
      if (!isSettings || storeId === null) continue;
      const row = part.columns.map((name) => ({ key: hitStoreId, value: storeId })[name] ?? null);
      yield { part: 'rows', json: JSON.stringify([row]), count: 1 };
    } else if (part.part === 'rows' && isSettings) {
      const rows = (JSON.parse(part.json) as unknown[][]).filter((row) => !hitServerSettings.has(row[key]));
      yield { part: 'rows', json: JSON.stringify(rows), count: part.count };
    } else yield part;
  }
}

async function* hitsInto(sink: HitSink, parts: AsyncIterable<BackupPart>): AsyncGenerator<BackupPart> {
  let columns: readonly string[] | null = null;
  let newestId = 0;
  for await (const part of parts) {
    if (part.part === 'table') columns = part.name === 'hits' ? part.columns : null;
    if (part.part === 'ids') newestId = part.last.hits ?? 0;
    if (columns === null) yield part;
    else if (part.part === 'rows') {
      const rows = part.rows ?? (JSON.parse(part.json) as unknown[][]);
      await sink.take(columns, rows);
      // They are counted, but stored in no table.
      yield { part: 'rows', json: '[]', count: part.count };
    } else yield part;
  }
  await sink.finish(newestId);
}

/** The hits of another server, as parts of a backup. */
export async function* hitsFrom(
  source: HitSource,
  known: readonly string[],
  counted: readonly Watermark[],
): AsyncGenerator<BackupPart> {
  const columns = ['id', ...hitColumns].filter((name) => known.includes(name));
  yield { part: 'table', name: 'hits', columns, bytes: [] };
  for await (const lines of source.rows(columns, counted))
    yield { part: 'rows', json: `[${lines.join(',')}]`, count: lines.length };
}
