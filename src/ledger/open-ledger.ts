import type { Database } from '../storage/database.ts';
import { ChunkLedger } from './chunks/chunk-ledger.ts';
import { externalHits } from './external-hits.ts';
import type { Ledger } from './ledger.ts';
import { PackLedger } from './packs/pack-ledger.ts';
import { RowLedger } from './row-ledger.ts';

export function openLedger(database: Database): Ledger {
  const external = externalHits(database);
  if (external !== null) return external.ledger;
  return new ChunkLedger(database, new PackLedger(database, new RowLedger(database)));
}
