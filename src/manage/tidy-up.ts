import { goneBefore } from '../rules/link-bin.ts';
import { deleteOldAttempts } from '../storage/attempts.ts';
import { deleteOldChanges } from '../storage/changes.ts';
import { deleteExpired, expiringTables } from '../storage/expired.ts';
import { deleteOldBinned } from '../storage/link-bin.ts';
import { deleteEmptyFamilies } from '../storage/tokens.ts';
import { deleteOldDeliveries } from '../storage/webhook-deliveries.ts';
import { deleteOldOutages } from '../storage/webhook-outages.ts';
import type { Context } from './context.ts';
import { outageKept } from './webhook-outages.ts';

/** Nodes that were away for longer start over; see `ChangeFollower`. */
const day = 24 * 60 * 60 * 1000;
const changesKept = day;
const deliveriesKept = 30 * day;
/** Few enough at a time that no click waits long behind them. */
const rowsAtOnce = 1_000;

/** Deletes what has expired. Any node may do it at any time. */
export async function tidyUp({
  database,
  config,
  now,
}: Pick<Context, 'database' | 'config' | 'now'>): Promise<void> {
  const instant = now();
  // Their bodies tell of single clicks.
  const deliveriesBefore = instant - Math.min(deliveriesKept, config.clickRetentionDays * day);
  for (const table of expiringTables)
    await database.write((queries) => deleteExpired(queries, table, instant));
  await database.write(deleteEmptyFamilies);
  await database.write((queries) => deleteOldAttempts(queries, instant));
  await database.write((queries) => deleteOldOutages(queries, instant - outageKept));
  await untilFewer(() =>
    database.write((queries) => deleteOldChanges(queries, instant - changesKept, rowsAtOnce)),
  );
  await untilFewer(() =>
    database.write((queries) => deleteOldDeliveries(queries, deliveriesBefore, rowsAtOnce)),
  );
  await untilFewer(() =>
    database.write((queries) => deleteOldBinned(queries, goneBefore(instant), rowsAtOnce)),
  );
}

async function untilFewer(deleteSome: () => Promise<number>): Promise<void> {
  while ((await deleteSome()) === rowsAtOnce);
}
