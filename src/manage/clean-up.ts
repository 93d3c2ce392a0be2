import { dayLength } from '../rules/durations.ts';
import { restorableAfter } from '../rules/link-bin.ts';
import { dayOf } from '../rules/utc-time.ts';
import { deleteOldAttempts } from '../storage/accounts/attempts.ts';
import { deleteEmptyFamilies } from '../storage/accounts/tokens.ts';
import { deleteOldChanges } from '../storage/changes.ts';
import type { Database } from '../storage/database.ts';
import {
  deleteDueOfDeletedLinks,
  deleteExcessDue,
  deleteFreeHosts,
  hostsWithMoreDue,
} from '../storage/destinations/due-pages.ts';
import { deleteOldestIcons } from '../storage/destinations/page-icons.ts';
import { deleteExpired, expiringTables } from '../storage/expired.ts';
import { correctFutureTimes } from '../storage/future-times.ts';
import {
  deleteOldestKeys,
  deleteOldIdempotencyKeys,
  organizationsOverAnswerLimit,
} from '../storage/idempotency-keys.ts';
import { deleteBinned, oldBinned } from '../storage/links/link-bin.ts';
import { deleteSomeCountsOf } from '../storage/links/link-records.ts';
import { deleteOldScheduled } from '../storage/links/scheduled-changes.ts';
import { deleteOldNotFound } from '../storage/not-found-visits.ts';
import type { Queries } from '../storage/schema.ts';
import { deleteOldDeliveries } from '../storage/webhooks/webhook-deliveries.ts';
import { deleteOldOutages } from '../storage/webhooks/webhook-outages.ts';
import { zapierClick } from '../webhooks/outbox.ts';
import type { Context } from './context.ts';
import { deliveryDays } from './webhooks/webhook-deliveries.ts';
import { outageKept } from './webhooks/webhook-outages.ts';

/** Nodes that were offline for longer start over; see `ChangeFollower`. */
const changesKept = dayLength;
const deliveriesKept = deliveryDays * dayLength;
/** Finished scheduled changes; the link's history keeps them for as long as the link. */
const scheduledKept = 90 * dayLength;
/** In characters, per organization: the answers to about 190,000 calls that make one link each. */
const maxAnswersKept = 256 * 1024 * 1024;
/** Of at most 32 KB each, most of them of one or two. */
const iconsKept = 20_000;
/** Links of one host whose pages are to be fetched: those of three hours, and most hosts have few. */
const maxDueOfHost = 10_000;
/** Few enough that no click waits long for them. */
const rowsAtOnce = 1_000;

/** Deletes expired data. Any node may do it at any time. */
export async function cleanUp({
  database,
  config,
  now,
}: Pick<Context, 'database' | 'config' | 'now'>): Promise<void> {
  const instant = now();
  // Bodies of webhooks contain individual clicks, so they are kept no longer than clicks are.
  const clicksBefore = instant - config.clickRetentionDays * dayLength;
  const old = {
    before: Math.max(clicksBefore, instant - deliveriesKept),
    clicksBefore,
    clickEvents: ['click', zapierClick],
  };
  await correctFutureTimes(database, instant);
  for (const table of expiringTables)
    await database.write((queries) => deleteExpired(queries, table, instant));
  await database.write(deleteEmptyFamilies);
  await database.write((queries) => deleteOldAttempts(queries, instant));
  await database.write((queries) => deleteFreeHosts(queries, instant - dayLength));
  await database.write((queries) => deleteOldestIcons(queries, iconsKept));
  await database.write((queries) => deleteOldOutages(queries, instant - outageKept));
  const deleteAll = async (deleteSome: (queries: Queries) => Promise<number>) => {
    while ((await database.write(deleteSome)) === rowsAtOnce);
  };
  await deleteAll((queries) => deleteDueOfDeletedLinks(queries, rowsAtOnce));
  for (const host of await hostsWithMoreDue(database.read, maxDueOfHost)) {
    const excess = { host, max: maxDueOfHost, limit: rowsAtOnce };
    await deleteAll((queries) => deleteExcessDue(queries, excess));
  }
  await deleteAll((queries) => deleteOldChanges(queries, instant - changesKept, rowsAtOnce));
  await deleteAll((queries) => deleteOldDeliveries(queries, old, rowsAtOnce));
  await emptyOldBin(database, restorableAfter(instant));
  await deleteAll((queries) => deleteOldScheduled(queries, instant - scheduledKept, rowsAtOnce));
  await deleteAll((queries) => deleteOldNotFound(queries, dayOf(clicksBefore), rowsAtOnce));
  await deleteAll((queries) => deleteOldIdempotencyKeys(queries, instant, rowsAtOnce));
  for (const id of await organizationsOverAnswerLimit(database.read, maxAnswersKept)) {
    const deleteSome = () =>
      database.write((queries) => deleteOldestKeys(queries, id, maxAnswersKept, rowsAtOnce));
    while (await deleteSome());
  }
}

/** The counts of a link go first, in parts: without its row in the bin, nothing leads to them. */
async function emptyOldBin(database: Database, upTo: number): Promise<void> {
  for (;;) {
    const ids = await oldBinned(database.read, upTo, rowsAtOnce);
    if (ids.length === 0) return;
    while (await database.write((queries) => deleteSomeCountsOf(queries, ids, rowsAtOnce)));
    await database.write((queries) => deleteBinned(queries, ids));
  }
}
