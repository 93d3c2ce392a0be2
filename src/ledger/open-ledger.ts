import type { Database } from '../storage/database.ts';
import { ChunkLedger } from './chunk-ledger.ts';
import { externalHits } from './external-hits.ts';
import { HitChunks } from './hit-chunks.ts';
import type { Ledger } from './ledger.ts';
import { PackLedger } from './pack-ledger.ts';
import { RowLedger } from './row-ledger.ts';

export function openLedger(database: Database): Ledger {
  const external = externalHits(database);
  if (external !== null) return external.ledger;
  const packs = new PackLedger(database, new RowLedger(database));
  return new ChunkLedger(new HitChunks(database), packs);
}
