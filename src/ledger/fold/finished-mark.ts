import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Position } from '../../journal/files.ts';
import { isTransient } from '../../rules/transient-error.ts';
import { dayLength } from '../../rules/utc-time.ts';
import { watermarksKept } from '../fold-store.ts';

const markIn = (folder: string): string => join(folder, 'finished');

/** Notes in the folder of a journal that all of it is counted: its watermark in the store expires, and the folder may be kept longer. */
export function markFinished(folder: string, at: number): void {
  try {
    writeFileSync(markIn(folder), String(at), { mode: 0o600 });
  } catch (cause) {
    if (!isTransient(cause)) throw cause;
  }
}

/** Whether a journal has no watermark because that has expired: all of it is counted. */
export function isExpired(folder: string, watermark: Position | null, now: number): boolean {
  if (watermark !== null) return false;
  try {
    // The watermark was stored just before the mark.
    return Number(readFileSync(markIn(folder), 'utf8')) < now - watermarksKept + dayLength;
  } catch {
    return false;
  }
}
