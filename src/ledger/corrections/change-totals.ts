import { sql } from 'kysely';
import { dimensionCodes, rollupClassCodes, rollupClasses } from '../../rules/click-fields.ts';
import { dialectOf } from '../../storage/dialect.ts';
import { jsonRows } from '../../storage/json-rows.ts';
import type { Queries } from '../../storage/schema.ts';
import { boundVisitors } from './bound-visitors.ts';
import { CountEntries, type RollUpDifference, type StoredHour } from './roll-up-difference.ts';

const { click } = rollupClassCodes;
const hourColumns = ['link_id', 'hour', ...rollupClasses, 'visitors', 'loose', 'counts'] as const;
const rollupKey = ['organization_id', 'dimension', 'hour', 'class', 'value'] as const;

/**
 * Adds a difference to all totals of hits, in the order in which the fold takes its locks. Nothing falls below zero, and an hour
 * with at most as many visitors as clicks stays that way: hits don't identify their visitors.
 */
export async function changeTotals(queries: Queries, difference: RollUpDifference): Promise<void> {
  await changeLinkHours(queries, difference);
  await changeOrganizations(queries, difference);
  await changeLinkClicks(queries, difference);
}

const refs = (names: readonly string[]) => sql.join(names.map((name) => sql.ref(name)));
/** Rows as a table with these columns; further cells of a row are ignored. */
const tableOf = (
  queries: Queries,
  columns: readonly string[],
  rows: readonly (readonly (number | string)[])[],
) =>
  jsonRows(
    dialectOf(queries),
    Object.fromEntries(columns.map((name) => [name, name === 'counts' ? 'text' : 'integer'])),
    JSON.stringify(rows),
  );
/** Appended to a query for rows that the same transaction changes. */
const lockOn = (queries: Queries, table: string) =>
  dialectOf(queries).locksRows ? sql`for update of ${sql.table(table)}` : sql``;

async function changeLinkHours(queries: Queries, { hours }: RollUpDifference): Promise<void> {
  if (hours.length === 0) return;
  const keys = hours.map(({ link, hour }) => [link, hour]);
  const { rows } = await sql<StoredHour>`
    select link_hours.* from ${tableOf(queries, ['key_link', 'key_hour'], keys)} as wanted cross join link_hours
    where link_hours.link_id = wanted.key_link and link_hours.hour = wanted.key_hour
    order by link_hours.link_id, link_hours.hour ${lockOn(queries, 'link_hours')}`.execute(queries);
  const stored = new Map(rows.map((row) => [`${row.link_id} ${row.hour}`, row]));
  const [kept, emptied]: [(number | string)[][], number[][]] = [[], []];
  for (const { link, hour, classes, counts } of hours) {
    const row = stored.get(`${link} ${hour}`);
    const sums = rollupClasses.map((name, ofClass) =>
      Math.max(0, (row?.[name] ?? 0) + (classes[ofClass] ?? 0)),
    );
    if (sums.every((hits) => hits === 0)) {
      emptied.push([link, hour]);
      continue;
    }
    const sum = new CountEntries();
    sum.addText(row?.counts ?? '');
    sum.addAll(counts);
    sum.boundVariantVisitors();
    const [before, visitors] = [row?.click ?? 0, row?.visitors ?? 0];
    const bounded = visitors <= before ? Math.min(visitors, sums[click] ?? 0) : visitors;
    kept.push([link, hour, ...sums, bounded, 0, sum.text]);
  }
  if (kept.length > 0) {
    const changed = hourColumns
      .slice(2)
      .map((name) => sql`${sql.ref(name)} = ${sql.ref(`excluded.${name}`)}`);
    await sql`insert into link_hours (${refs(hourColumns)})
      select * from ${tableOf(queries, hourColumns, kept)} as made where true
      on conflict (link_id, hour) do update set ${sql.join(changed)}`.execute(queries);
  }
  if (emptied.length > 0) {
    const dead = tableOf(queries, ['link_id', 'hour'], emptied);
    await sql`delete from link_hours where (link_id, hour) in (select * from ${dead} as dead)`.execute(
      queries,
    );
  }
}

async function changeOrganizations(queries: Queries, { organizations }: RollUpDifference): Promise<void> {
  if (organizations.length === 0) return;
  const rows = organizations.map(({ organization, dimension, hour, ofClass, value, hits }) => [
    organization,
    dimension,
    hour,
    ofClass,
    value,
    hits,
  ]);
  const columns = [...rollupKey, 'hits'];
  await sql`insert into organization_rollups (${refs(columns)})
    select * from ${tableOf(queries, columns, rows)} as added where true
    on conflict (${refs(rollupKey)}) do update set hits = organization_rollups.hits + excluded.hits`.execute(
    queries,
  );
  const fewer = rows.filter((row) => (row.at(-1) ?? 0) < 0);
  await sql`delete from organization_rollups
    where (${refs(rollupKey)}) in (select * from ${tableOf(queries, rollupKey, fewer)} as fewer) and hits <= 0`.execute(
    queries,
  );
  await boundVisitors(
    queries,
    organizations
      .filter(
        ({ dimension, ofClass, hits }) => dimension === dimensionCodes.total && ofClass === click && hits < 0,
      )
      .map(({ organization, hour, hits }) => ({ organization, hour, clicks: -hits })),
  );
}

/** `last_clicked_at` moves forward here; `last-clicks.ts` moves it back when all hits are done. */
export async function changeLinkClicks(queries: Queries, { clicks }: RollUpDifference): Promise<void> {
  const rows = [...clicks]
    .filter(([, difference]) => difference.clicks !== 0 || difference.last > 0)
    .sort(([one], [other]) => one - other)
    .map(([link, difference]) => [link, difference.clicks, difference.last]);
  if (rows.length === 0) return;
  const columns = ['link_id', 'clicks', 'last_clicked_at'];
  await sql`insert into link_clicks (${refs(columns)})
    select * from ${tableOf(queries, columns, rows)} as added where true
    on conflict (link_id) do update set clicks = link_clicks.clicks + excluded.clicks, last_clicked_at =
      case when excluded.last_clicked_at > link_clicks.last_clicked_at
        then excluded.last_clicked_at else link_clicks.last_clicked_at end`.execute(queries);
  await sql`delete from link_clicks
    where link_id in (select * from ${tableOf(queries, ['link_id'], rows)} as changed) and clicks <= 0`.execute(
    queries,
  );
}
