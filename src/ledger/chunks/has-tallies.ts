import { dimensions, hasManyValues } from '../../rules/click-fields.ts';
import type { Database } from '../../storage/database.ts';
import type { Slice } from '../counts/counts.ts';
import { externalHits } from '../external-hits.ts';
import type { Owner } from '../ledger.ts';
import { chunkedUpTo } from './chunk-ledger.ts';

/**
 * Whether counting an organization's clicks by the values of a dimension is faster from the tallies of its chunks than from its
 * roll-ups, which have a row for each value of each hour.
 */
export async function hasTallies(database: Database, owner: Owner, slice: Slice): Promise<boolean> {
  if (owner.kind === 'link' || owner.links !== undefined || slice.kind !== 'rollups') return false;
  if (!hasManyValues(dimensions[slice.dimension]) || externalHits(database) !== null) return false;
  return (await chunkedUpTo(database, owner)) > 0;
}
