import { hitColumns, wordFields } from '../rules/click-fields.ts';
import type { Hits } from './fold-store.ts';

/** The ids of all words in these hits. */
export function wordsOf({ columns, count }: Hits): Set<number> {
  const ids = new Set<number>();
  for (const field of wordFields) {
    const column = columns[hitColumns.indexOf(field)];
    for (let row = 0; row < count; row++) ids.add(column?.[row] ?? 0);
  }
  ids.delete(0);
  return ids;
}
