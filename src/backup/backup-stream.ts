import type { Database } from '../storage/database.ts';

/** A backup from its beginning to its end, wherever it comes from: tables, each before those that refer to it. */
export interface BackupStream {
  readonly header: BackupHeader;
  /** Throws at the end if something is missing. */
  readonly parts: AsyncIterable<BackupPart>;
  close(): Promise<void>;
}

export interface BackupHeader {
  readonly kind: Database['kind'];
  /** The number of the last migration that the store had. */
  readonly migration: number;
  readonly madeAt: string;
  /** Of the secret key that the store belongs to, which is in no backup. Null where none was set. */
  readonly keyMark: string | null;
}

export type Cells = readonly (string | number | null)[];

/**
 * `bytes` are columns whose cells are in hexadecimal. `json` is an array with an array of cells for each row, and `rows` the
 * same where it was parsed already.
 */
export type BackupPart =
  | {
      readonly part: 'table';
      readonly name: string;
      readonly columns: readonly string[];
      readonly bytes: readonly string[];
    }
  | { readonly part: 'rows'; readonly json: string; readonly count: number; readonly rows?: readonly Cells[] }
  /** By table, the last id that was handed out. */
  | { readonly part: 'ids'; readonly last: Readonly<Record<string, number>> };

/**
 * What tells a day's visitors apart is in no backup: it is to be gone after that day. Without the salts the visitors' hashes
 * are of no use either.
 */
export const isOfVisitors = (table: string): boolean =>
  /^(daily_salts|daily_visitors|visitor_days|visitor_runs|visitor_salt_\w+|click_claims|flood_levels)$/.test(
    table,
  );

/** Also partitions that are no part of their table any more, as they are about to be dropped. */
export const isLeftOut = (table: string): boolean =>
  isOfVisitors(table) ||
  // Who runs now is nothing that a restore brings back.
  table === 'nodes' ||
  /^hit(s|_packs|_pack_links|_chunks|_chunk_links)_(before|far_past|far_future|\d{4}_\d{2})$/.test(table);

/** A file or a place that a backup can't be read from or restored into. Its message is one line that says what to do. */
export class BackupProblem extends Error {
  override readonly name = 'BackupProblem';
}

/** Rows go together up to so many characters of JSON. */
export const maxRowsLength = 512 * 1024;

/** Tables, each behind those that it refers to. */
export function inOrder(
  tables: readonly string[],
  references: ReadonlyMap<string, readonly string[]>,
): string[] {
  const ordered = new Set<string>();
  const add = (table: string, above: readonly string[]): void => {
    if (ordered.has(table) || above.includes(table)) return;
    for (const target of references.get(table) ?? []) add(target, [...above, table]);
    ordered.add(table);
  };
  for (const table of [...tables].sort()) add(table, []);
  return [...ordered];
}

/** See `store.ts`. */
export const keyMarkSql = "select value from settings where key = 'master_key_mark'";
