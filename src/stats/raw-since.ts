import type { Queries } from '../storage/schema.ts';
import { deletedBefore, findSetting } from '../storage/settings.ts';

/** Since when there are single hits: a retention that was shorter once has left less than today's would (`kept`). */
export async function hitsSince(queries: Queries, kept: number): Promise<number> {
  return Math.max(kept, Number((await findSetting(queries, deletedBefore)) ?? 0));
}
