import type { Database } from '../storage/database.ts';
import type { BackupHeader, BackupPart } from './backup-stream.ts';

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
