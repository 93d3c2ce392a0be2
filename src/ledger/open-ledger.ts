import type { Database } from '../storage/database.ts';
import { ChunkLedger } from './chunks/chunk-ledger.ts';
import { externalHits } from './external-hits.ts';
import type { Ledger } from './ledger.ts';

export const openLedger = (database: Database): Ledger =>
  externalHits(database)?.ledger ?? new ChunkLedger(database);
