import { sql } from 'kysely';
import { dayLength } from '../rules/durations.ts';
import type { Database } from './database.ts';
import type { Schema } from './schema.ts';
import { waitingOrganizations } from './webhooks/webhook-queue.ts';

/** Marks hosts without an address to check; see `releaseHost`. */
const never = Number.MAX_SAFE_INTEGER;

interface TimesOfTable {
  readonly table: keyof Schema;
  /** By column: more than the program ever adds to the current time there. */
  readonly maxAhead: Readonly<Record<string, number>>;
}

/** Addresses before their hosts: an address is checked once its host is due, and a host is due when its next address is. */
const tables: readonly TimesOfTable[] = [
  { table: 'attempts', maxAhead: { window_ends_at: 91 * dayLength } },
  { table: 'click_corrections', maxAhead: { due_at: dayLength } },
  { table: 'domains', maxAhead: { next_check_at: 8 * dayLength } },
  { table: 'nodes', maxAhead: { seen_at: dayLength } },
  { table: 'organizations', maxAhead: { watch_mailed_at: dayLength } },
  { table: 'page_hosts', maxAhead: { free_at: dayLength } },
  { table: 'scheduled_changes', maxAhead: { untold: dayLength } },
  { table: 'watched_urls', maxAhead: { next_at: 2 * dayLength, suspected_at: dayLength } },
  {
    table: 'watched_hosts',
    maxAhead: { answered_at: dayLength, due_at: 2 * dayLength, free_at: dayLength },
  },
  { table: 'watched_links', maxAhead: { unmailed: dayLength } },
  { table: 'watched_robots', maxAhead: { read_at: dayLength } },
  { table: 'watch_sweeps', maxAhead: { claimed_until: dayLength, finished_at: dayLength } },
  {
    table: 'webhook_outages',
    maxAhead: { claimed_until: 2 * dayLength, last_failed_at: dayLength, since: dayLength },
  },
  { table: 'word_sweeps', maxAhead: { claimed_until: dayLength, finished_at: dayLength } },
];
const maxRetryAhead = 2 * dayLength;

/**
 * Times further in the future than possible were written by a clock that was ahead: what waits for them is due now. Otherwise
 * all of it would stand still until then. All times of a row are corrected at once, as some are computed from others. Some of these
 * tables are large and have no index by time, so they are only searched beside other writers.
 */
export async function correctFutureTimes(
  { read, write }: Pick<Database, 'read' | 'write'>,
  now: number,
): Promise<void> {
  for (const { table, maxAhead } of tables) {
    const times = Object.entries(maxAhead).map(([column, ahead]) => {
      const time = sql.ref(column);
      return { time, isAhead: sql`${time} > ${now + ahead} and ${time} < ${never}` };
    });
    const isAnyAhead = sql.join(
      times.map(({ isAhead }) => isAhead),
      sql` or `,
    );
    const { rows } = await sql`select 1 from ${sql.table(table)} where ${isAnyAhead} limit 1`.execute(read);
    if (rows.length === 0) continue;
    const corrected = times.map(
      ({ time, isAhead }) => sql`${time} = case when ${isAhead} then ${now} else ${time} end`,
    );
    await write((queries) =>
      sql`update ${sql.table(table)} set ${sql.join(corrected)} where ${isAnyAhead}`.execute(queries),
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
