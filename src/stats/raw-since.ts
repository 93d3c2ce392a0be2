import type { Queries } from '../storage/schema.ts';
import { deletedBefore } from '../storage/setting-keys.ts';
import { findSetting } from '../storage/settings.ts';

/** Since when there are individual hits: a retention that used to be shorter has left fewer than today's would (`keptSince`). */
export async function hitsSince(queries: Queries, keptSince: number): Promise<number> {
  return Math.max(keptSince, Number((await findSetting(queries, deletedBefore)) ?? 0));
}
