import type { Database } from '../storage/database.ts';
import type { Ledger } from './ledger.ts';
import { PackLedger } from './pack-ledger.ts';
import { RowLedger } from './row-ledger.ts';

export function openLedger(database: Database): Ledger {
  return new PackLedger(database, new RowLedger(database));
}
