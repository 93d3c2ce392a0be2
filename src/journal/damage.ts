import { constants, copyFileSync, linkSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { filesIn, folderOf, type JournalName, segmentFile } from './files.ts';
import type { Flaw } from './reader.ts';

/** The damage that reading one batch found in one segment. */
export interface Damage {
  readonly segment: number;
  /** Where the first damaged bytes begin. */
  readonly offset: number;
  /** The number of gaps, and the number of bytes skipped in all of them. */
  readonly gaps: number;
  readonly bytes: number;
}

export function damageBySegment(flaws: readonly Flaw[]): Damage[] {
  return [...Map.groupBy(flaws, ({ segment }) => segment)].map(([segment, found]) => ({
    segment,
    offset: found[0]?.offset ?? 0,
    gaps: found.length,
    bytes: found.reduce((sum, { bytes }) => sum + bytes, 0),
  }));
}

const damagedIn = (dataDir: string): string => join(dataDir, 'journal-damaged');

/**
 * Keeps a copy of a damaged segment under another name, before it is folded and removed. Returns its path. Like any segment it
 * contains visitors' addresses.
 */
export function copyDamaged(dataDir: string, name: JournalName, segment: number): string {
  const from = segmentFile(folderOf(dataDir, name), segment);
  const to = join(damagedIn(dataDir), `${name.node}-${name.process}-${basename(from)}`);
  mkdirSync(damagedIn(dataDir), { recursive: true, mode: 0o700 });
  try {
    linkSync(from, to);
  } catch (cause) {
    // Some file systems have no hard links.
    if ((cause as { code?: string }).code !== 'EEXIST') copyFileSync(from, to, constants.COPYFILE_EXCL);
  }
  return to;
}

/** Removes the copies that were last written to before an instant. */
export function deleteDamagedBefore(dataDir: string, before: number): void {
  for (const name of filesIn(damagedIn(dataDir))) {
    const path = join(damagedIn(dataDir), name);
    if (statSync(path).mtimeMs < before) rmSync(path, { force: true });
  }
}
