import type { Database } from '../storage/database.ts';
import { dialects } from '../storage/dialect.ts';
import type { Ledger } from './ledger.ts';
import { PackLedger } from './pack-ledger.ts';
import { RowLedger } from './row-ledger.ts';

export function openLedger(database: Database): Ledger {
  const rows = new RowLedger(database);
  return dialects[database.kind].packsHits ? new PackLedger(database, rows) : rows;
}
