import type { Database } from '../storage/database.ts';
import { ChunkLedger } from './chunk-ledger.ts';
import { HitChunks } from './hit-chunks.ts';
import { hitsElsewhere } from './hits-elsewhere.ts';
import type { Ledger } from './ledger.ts';
import { PackLedger } from './pack-ledger.ts';
import { RowLedger } from './row-ledger.ts';

export function openLedger(database: Database): Ledger {
  const elsewhere = hitsElsewhere(database);
  if (elsewhere !== null) return elsewhere.ledger;
  const packs = new PackLedger(database, new RowLedger(database));
  return new ChunkLedger(new HitChunks(database), packs);
}

/** Whether an organization has hits in chunks. */
export async function hasChunks(database: Database, organizationId: number): Promise<boolean> {
  if (hitsElsewhere(database) !== null) return false;
  return (await new HitChunks(database).mergedTo({ kind: 'organization', id: organizationId })) > 0;
}
