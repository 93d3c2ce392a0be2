import { statSync } from 'node:fs';
import { folderOf, journalsIn, type Position, segmentFile, segmentsIn, watermarkKey } from './files.ts';

/** What waits in the journals of a data folder: how many bytes, and since when as files tell it. */
export interface Unfolded {
  readonly bytes: number;
  /** Null where nothing waits. */
  readonly since: number | null;
}

/** `watermarks`: how far storage has each journal, by its key. */
export function unfoldedIn(dataDir: string, watermarks: ReadonlyMap<string, Position>): Unfolded {
  let bytes = 0;
  let since: number | null = null;
  for (const name of journalsIn(dataDir)) {
    const mark = watermarks.get(watermarkKey(name)) ?? { segment: 0, offset: 0 };
    const folder = folderOf(dataDir, name);
    for (const segment of segmentsIn(folder).filter((number) => number >= mark.segment)) {
      const found = statSync(segmentFile(folder, segment), { throwIfNoEntry: false });
      const left = (found?.size ?? 0) - (segment === mark.segment ? mark.offset : 0);
      if (found === undefined || left <= 0) continue;
      bytes += left;
      since = Math.min(since ?? found.mtimeMs, found.mtimeMs);
    }
  }
  return { bytes, since };
}
