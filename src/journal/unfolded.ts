import { statSync } from 'node:fs';
import { folderOf, journalsIn, type Position, segmentFile, segmentsIn, watermarkKey } from './files.ts';

/** The unfolded part of the journals in a data folder: its bytes, and the age of its oldest file. */
interface Unfolded {
  readonly bytes: number;
  /** Null if everything is folded. */
  readonly since: number | null;
}

/** `watermarks`: the folded position of each journal, by its key. */
export function unfoldedIn(dataDir: string, watermarks: ReadonlyMap<string, Position>): Unfolded {
  let bytes = 0;
  let since: number | null = null;
  for (const name of journalsIn(dataDir)) {
    const watermark = watermarks.get(watermarkKey(name)) ?? { segment: 0, offset: 0 };
    const folder = folderOf(dataDir, name);
    for (const segment of segmentsIn(folder).filter((number) => number >= watermark.segment)) {
      const file = statSync(segmentFile(folder, segment), { throwIfNoEntry: false });
      const left = (file?.size ?? 0) - (segment === watermark.segment ? watermark.offset : 0);
      if (file === undefined || left <= 0) continue;
      bytes += left;
      since = Math.min(since ?? file.mtimeMs, file.mtimeMs);
    }
  }
  return { bytes, since };
}
