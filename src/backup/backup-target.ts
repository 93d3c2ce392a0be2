import type { Database } from '../storage/database.ts';
import type { BackupHeader, BackupPart } from './backup-stream.ts';

/** An empty store that is filled from a backup. Nothing of it is seen before `finish`. */
export interface BackupTarget {
  readonly kind: Database['kind'];
  /** The tables as they were at the migration of the backup. */
  begin(header: BackupHeader): Promise<void>;
  take(part: BackupPart): Promise<void>;
  /** Brings the tables up to date, and makes the store one that can be started with. */
  finish(): Promise<void>;
  /** Undoes everything, unless it is finished. */
  close(): Promise<void>;
}

/** A table of the target, by its columns' types. */
export type Columns = ReadonlyMap<string, string>;

export interface TableInFile {
  readonly name: string;
  readonly columns: readonly string[];
  readonly bytes: readonly string[];
}
