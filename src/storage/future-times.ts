import { sql } from 'kysely';
import { dayLength } from '../rules/durations.ts';
import type { Database } from './database.ts';
import type { Schema } from './schema.ts';
import { waitingOrganizations } from './webhooks/webhook-queue.ts';

/** Marks hosts without an address to check; see `releaseHost`. */
const never = Number.MAX_SAFE_INTEGER;

interface TimeColumn {
  readonly table: keyof Schema;
  readonly column: string;
  /** More than the program ever adds to the current time here. */
  readonly maxAhead: number;
}

const columns: readonly TimeColumn[] = [
  { table: 'attempts', column: 'window_ends_at', maxAhead: 91 * dayLength },
  { table: 'click_corrections', column: 'due_at', maxAhead: dayLength },
  { table: 'domains', column: 'next_check_at', maxAhead: 8 * dayLength },
  { table: 'nodes', column: 'seen_at', maxAhead: dayLength },
  { table: 'organizations', column: 'watch_mailed_at', maxAhead: dayLength },
  { table: 'page_hosts', column: 'free_at', maxAhead: dayLength },
  { table: 'scheduled_changes', column: 'untold', maxAhead: dayLength },
  { table: 'watch_sweeps', column: 'claimed_until', maxAhead: dayLength },
  { table: 'watch_sweeps', column: 'finished_at', maxAhead: dayLength },
  { table: 'watched_hosts', column: 'answered_at', maxAhead: dayLength },
  { table: 'watched_hosts', column: 'due_at', maxAhead: 2 * dayLength },
  { table: 'watched_hosts', column: 'free_at', maxAhead: dayLength },
  { table: 'watched_links', column: 'unmailed', maxAhead: dayLength },
  { table: 'watched_robots', column: 'read_at', maxAhead: dayLength },
  { table: 'watched_urls', column: 'next_at', maxAhead: 2 * dayLength },
  { table: 'watched_urls', column: 'suspected_at', maxAhead: dayLength },
  { table: 'webhook_outages', column: 'claimed_until', maxAhead: 2 * dayLength },
  { table: 'webhook_outages', column: 'last_failed_at', maxAhead: dayLength },
  { table: 'webhook_outages', column: 'since', maxAhead: dayLength },
  { table: 'word_sweeps', column: 'claimed_until', maxAhead: dayLength },
  { table: 'word_sweeps', column: 'finished_at', maxAhead: dayLength },
];
const maxRetryAhead = 2 * dayLength;

/**
 * Times further in the future than possible were written by a clock that was ahead: what waits for them is due now. Otherwise
 * all of it would stand still until then. Some of these tables are large and have no index by time, so they are only searched beside
 * other writers.
 */
export async function correctFutureTimes(
  { read, write }: Pick<Database, 'read' | 'write'>,
  now: number,
): Promise<void> {
  for (const { table, column, maxAhead } of columns) {
    const time = sql.ref(column);
    const isAhead = sql`${time} > ${now + maxAhead} and ${time} < ${never}`;
    const { rows } = await sql`select 1 from ${sql.table(table)} where ${isAhead} limit 1`.execute(read);
    if (rows.length > 0)
      await write((queries) =>
        sql`update ${sql.table(table)} set ${time} = ${now} where ${isAhead}`.execute(queries),
      );
  }
  // From one organization to the next through an index: very many may be waiting.
  await write((queries) =>
    sql`update webhook_deliveries set next_try_at = ${now}, claimed_until = null,
      first_tried_at = case when first_tried_at > ${now} then ${now} else first_tried_at end where id in (
      with recursive ${waitingOrganizations}
      select webhook_deliveries.id from organizations
      join webhook_deliveries on webhook_deliveries.organization_id = organizations.id
      where webhook_deliveries.next_try_at > ${now + maxRetryAhead}
    )`.execute(queries),
  );
}
