import { isPartition } from '../ledger/stores/partitions.ts';
import type { Database } from '../storage/database.ts';

/** A backup from start to end, whatever its source: tables, each before those that refer to it. */
export interface BackupStream {
  readonly header: BackupHeader;
  /** Throws at the end if something is missing. */
  readonly parts: AsyncIterable<BackupPart>;
  close(): Promise<void>;
}

export interface BackupHeader {
  readonly kind: Database['kind'];
  /** The number of the store's last migration. */
  readonly migration: number;
  readonly madeAt: string;
  /** Identifies the store's secret key, which is in no backup. Null if none was set. */
  readonly keyMark: string | null;
}

export type Cells = readonly (string | number | null)[];

/** `bytes` are columns whose cells are in hexadecimal. */
export interface TablePart {
  readonly part: 'table';
  readonly name: string;
  readonly columns: readonly string[];
  readonly bytes: readonly string[];
}

/** `json` is an array of rows, each an array of cells; `rows` is the same, parsed. */
export interface RowsPart {
  readonly part: 'rows';
  readonly json: string;
  readonly count: number;
  readonly rows?: readonly Cells[];
}

export type BackupPart =
  | TablePart
  | RowsPart
  /** By table, the last assigned id. */
  | { readonly part: 'ids'; readonly last: Readonly<Record<string, number>> };

/** An empty store that is filled from a backup. Nothing of it is visible before `finish`. */
export interface BackupTarget {
  readonly kind: Database['kind'];
  /** Creates the tables as they were at the backup's migration. */
  begin(header: BackupHeader): Promise<void>;
  take(part: BackupPart): Promise<void>;
  /** Migrates the tables to the current version, and makes the store ready for a start. */
  finish(): Promise<void>;
  /** Undoes everything, unless it is finished. */
  close(): Promise<void>;
}

/**
 * Data that tells a day's visitors apart is never backed up: it must not outlive that day. Without the salts the visitors' hashes
 * are useless as well.
 */
export const isVisitorTable = (table: string): boolean =>
  /^(daily_salts|daily_visitors|visitor_days|visitor_runs|visitor_salt_\w+|click_claims|flood_levels)$/.test(
    table,
  );

/** Includes detached partitions, which are about to be dropped. */
export const isExcluded = (table: string): boolean =>
  isVisitorTable(table) ||
  // Running processes are not restored.
  table === 'nodes' ||
  isPartition(table);

/** A file or a place that a backup can't be read from or restored into. Its message is one line that says what to do. */
export class BackupProblem extends Error {
  override readonly name = 'BackupProblem';
}

/** Rows are grouped up to this many characters of JSON. */
export const maxRowsLength = 512 * 1024;

/** Tables, each after those that it refers to. */
export function orderByReference(
  tables: readonly string[],
  references: ReadonlyMap<string, readonly string[]>,
): string[] {
  const ordered = new Set<string>();
  const add = (table: string, ancestors: readonly string[]): void => {
    if (ordered.has(table) || ancestors.includes(table)) return;
    for (const target of references.get(table) ?? []) add(target, [...ancestors, table]);
    ordered.add(table);
  };
  for (const table of [...tables].sort()) add(table, []);
  return [...ordered];
}
