import { hourLength } from '../rules/durations.ts';
import type { Database } from '../storage/database.ts';
import { totalOf } from './counts/counts.ts';
import type { Owner } from './ledger.ts';
import { openTotals } from './open-counts.ts';
import { openLedger } from './open-ledger.ts';

/** Whether every hit that an hour counts is still stored. */
export async function hasAllHits(database: Database, owner: Owner, hour: number): Promise<boolean> {
  const counted = await totalOf(openTotals(database, owner), { from: hour, to: hour + 1 });
  if (counted === 0) return true;
  const times = { from: hour * hourLength, to: (hour + 1) * hourLength };
  const kept = await openLedger(database).count({ owner, ...times }, 'class');
  return kept.reduce((sum, { hits }) => sum + hits, 0) >= counted;
}
