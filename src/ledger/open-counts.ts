import { dimensionCodes, dimensions, isSparse } from '../rules/click-fields.ts';
import type { Database } from '../storage/database.ts';
import type { Counts, HitSlice, Slice } from './counts/counts.ts';
import { HitCounts } from './counts/hit-counts.ts';
import { LinkCounts } from './counts/link-counts.ts';
import { OrganizationCounts } from './counts/organization-counts.ts';
import { SparseCounts } from './counts/sparse-counts.ts';
import type { Owner } from './ledger.ts';
import { openLedger } from './open-ledger.ts';

/** Counts of a slice from the roll-ups, or from the hits themselves, which exist since `rawSince`. */
export function openCounts(database: Database, owner: Owner, slice: Slice, rawSince = 0): Counts {
  if (slice.kind === 'hits') return openHitCounts(database, owner, slice, rawSince);
  const links = owner.kind === 'link' ? [owner.id] : owner.links;
  if (links !== undefined) return new LinkCounts(database, links, slice);
  const CountsClass = isSparse(dimensions[slice.dimension] ?? 'total') ? SparseCounts : OrganizationCounts;
  return new CountsClass(database.read, owner.id, slice);
}

export const openHitCounts = (
  database: Database,
  owner: Owner,
  slice: HitSlice,
  rawSince: number,
): HitCounts => new HitCounts(openLedger(database), owner, slice, rawSince);

/** Counts of all hits, or of those of some classes. */
export const openTotals = (database: Database, owner: Owner, classes?: readonly number[]): Counts =>
  openCounts(database, owner, { kind: 'rollups', dimension: dimensionCodes.total, classes });
