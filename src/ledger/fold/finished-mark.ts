import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Position } from '../../journal/files.ts';
import { dayLength } from '../../rules/durations.ts';
import { isTransient } from '../../rules/transient-error.ts';
import { watermarkRetention } from '../fold-store.ts';

const markIn = (folder: string): string => join(folder, 'finished');

/** Notes in the folder of a journal that all of it is counted: its watermark in the store expires, and the folder may be kept longer. */
export function markFinished(folder: string, at: number): void {
  try {
    writeFileSync(markIn(folder), `${at}\n`, { mode: 0o600 });
  } catch (cause) {
    if (!isTransient(cause)) throw cause;
  }
}

/** With its line break, which a mark that a full disk cut off lacks. */
const wholeMark = /^(\d+)\n$/;

/** Whether a journal has no watermark because that has expired: all of it is counted. */
export function isExpired(folder: string, watermark: Position | null, now: number): boolean {
  if (watermark !== null) return false;
  try {
    const [, at] = wholeMark.exec(readFileSync(markIn(folder), 'utf8')) ?? [];
    // The watermark was stored just before the mark.
    return at !== undefined && Number(at) < now - watermarkRetention + dayLength;
  } catch {
    return false;
  }
}
