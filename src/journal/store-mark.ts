import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { folderOf, journalsIn, segmentsIn, writeId } from './files.ts';

const fileIn = (dataDir: string): string => join(dataDir, 'journal', 'store.id');

/**
 * The id of the store that this data folder's journals belong to; null if the folder doesn't say. If they were folded into another
 * one, because `DATABASE_URL` is wrong, their own would never get these clicks.
 */
export function storeMarkIn(dataDir: string): string | null {
  const file = fileIn(dataDir);
  const id = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  return /^[\w-]{1,64}$/.test(id) ? id : null;
}

export function writeStoreMark(dataDir: string, id: string): void {
  const file = fileIn(dataDir);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeId(file, id);
}

export const otherStoreMessage = (dataDir: string): string =>
  `The clicks in ${join(dataDir, 'journal')} belong to another database than this one.`;

export const otherStoreAdvice =
  'Bring theirs back (DATABASE_URL, or linnet.sqlite). If this one is right, move the folder journal away: "fold" can still count its clicks in the other.';

/** Whether the folder has clicks of another store than the one with this id; null for a store without one. */
export function hasClicksOfOther(dataDir: string, id: string | null): boolean {
  const mark = storeMarkIn(dataDir);
  return mark !== null && mark !== id && hasSegments(dataDir);
}

export const hasSegments = (dataDir: string): boolean =>
  journalsIn(dataDir).some((name) => segmentsIn(folderOf(dataDir, name)).length > 0);
