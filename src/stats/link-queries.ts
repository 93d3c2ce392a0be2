import { type RawBuilder, sql } from 'kysely';
import {
  classOf,
  clickClass,
  eachCount,
  reasonDimension,
  reasonOf,
  totalDimension,
  visitorsDimension,
} from '../ledger/hour-counts.ts';
import type { Queries } from '../storage/schema.ts';
import { classColumns } from '../storage/schema.ts';
import type { BucketCount, GroupCount, Hours, Slice } from './rollup-queries.ts';

/** Texts of so many hours are read at once: what is counted here holds up nobody for long. */
const hoursAtOnce = 1_000;

/** Counts of a link by bucket and class. Buckets follow one another without a gap. */
export async function linkBucketCounts(
  queries: Queries,
  linkId: number,
  slice: Slice,
  buckets: readonly Hours[],
): Promise<readonly BucketCount[]> {
  if (buckets.length === 0) return [];
  if (isInColumns(slice)) return columnCounts(queries, linkId, slice, buckets);
  const sums = new Map<number, number>();
  let bucket = 0;
  const span = { from: buckets[0]?.from ?? 0, to: buckets.at(-1)?.to ?? 0 };
  await eachOf(queries, linkId, slice, span, (hour, place, _value, hits) => {
    while (hour >= (buckets[bucket]?.to ?? Number.POSITIVE_INFINITY)) bucket += 1;
    const key = bucket * classColumns.length + place;
    sums.set(key, (sums.get(key) ?? 0) + hits);
  });
  return Array.from(sums, ([key, hits]) => ({
    bucket: Math.floor(key / classColumns.length),
    class: key % classColumns.length,
    hits,
  }));
}

/** The largest groups of a range, by value or by class. */
export async function linkGroupCounts(
  queries: Queries,
  linkId: number,
  slice: Slice,
  by: 'value' | 'class',
  hours: Hours,
  most: number,
): Promise<readonly GroupCount[]> {
  const groups = new Map<number, { clicks: number; hits: number }>();
  const add = (place: number, value: number, hits: number) => {
    const group = groups.get(by === 'class' ? place : value) ?? { clicks: 0, hits: 0 };
    groups.set(by === 'class' ? place : value, group);
    group.hits += hits;
    if (place === clickClass) group.clicks += hits;
  };
  if (isInColumns(slice)) {
    const counts = await columnCounts(queries, linkId, slice, [hours]);
    for (const { class: place, hits } of counts) add(place, 0, hits);
  } else {
    await eachOf(queries, linkId, slice, hours, (_hour, place, value, hits) => add(place, value, hits));
  }
  const all = Array.from(groups, ([value, counts]) => ({ value, ...counts }));
  const all_clicks = all.reduce((sum, { clicks }) => sum + clicks, 0);
  const all_hits = all.reduce((sum, { hits }) => sum + hits, 0);
  return all
    .sort((one, other) => other.hits - one.hits || one.value - other.value)
    .slice(0, most)
    .map((group) => ({ ...group, all_clicks, all_hits }));
}

/** All hits of the classes; in a range of hours where one is given. */
export async function linkTotal(
  queries: Queries,
  linkId: number,
  { classes }: Pick<Slice, 'classes'>,
  hours: Partial<Hours>,
): Promise<number> {
  const columns = classColumns.filter((_, place) => isAmong(classes, place));
  if (columns.length === 0) return 0;
  const all = sql.join(
    columns.map((name) => sql.ref(name)),
    sql` + `,
  );
  const { rows } = await sql<{ hits: number | null }>`
    select sum(${all}) as hits from link_hours where ${within(linkId, hours)}`.execute(queries);
  return rows[0]?.hits ?? 0;
}

const isInColumns = ({ dimension }: Slice): boolean =>
  dimension === totalDimension || dimension === visitorsDimension;

const isAmong = (classes: readonly number[] | undefined, place: number): boolean =>
  classes === undefined || classes.includes(place);

type ColumnRow = { readonly bucket: number; readonly visitors: number } & {
  readonly [column in (typeof classColumns)[number]]: number;
};

/** The buckets drive: each is one stretch of the primary key. */
async function columnCounts(
  queries: Queries,
  linkId: number,
  { dimension, value = 0, classes }: Slice,
  buckets: readonly Hours[],
): Promise<readonly BucketCount[]> {
  if (value !== 0) return [];
  const spans = buckets.map(
    ({ from, to }, place) => sql`(${sql.lit(place)}, ${sql.lit(from)}, ${sql.lit(to)})`,
  );
  const columns = dimension === visitorsDimension ? (['visitors'] as const) : classColumns;
  const sums = columns.map((name) => sql`sum(${sql.ref(`link_hours.${name}`)}) as ${sql.ref(name)}`);
  const { rows } = await sql<ColumnRow>`
    with buckets (bucket, first_hour, end_hour) as (values ${sql.join(spans)})
    select buckets.bucket, ${sql.join(sums)}
    from buckets cross join link_hours
    where link_hours.link_id = ${linkId}
      and link_hours.hour >= buckets.first_hour and link_hours.hour < buckets.end_hour
    group by buckets.bucket`.execute(queries);
  return rows.flatMap((row) =>
    columns
      .map((name, place) => ({ bucket: row.bucket, class: place, hits: row[name] }))
      .filter((count) => count.hits > 0 && isAmong(classes, count.class)),
  );
}

/** Every count of a dimension that is kept in texts, hour after hour: its hour, class, value and hits. */
async function eachOf(
  queries: Queries,
  linkId: number,
  { dimension, value: wanted, classes }: Slice,
  hours: Hours,
  take: (hour: number, place: number, value: number, hits: number) => void,
): Promise<void> {
  const isReason = dimension === reasonDimension;
  for (let from = hours.from; ; ) {
    const { rows } = await sql<{ hour: number; click: number; counts: string }>`
      select hour, click, counts from link_hours where ${within(linkId, { from, to: hours.to })}
      order by hour limit ${sql.lit(hoursAtOnce)}`.execute(queries);
    for (const { hour, click, counts } of rows) {
      let unwritten = isReason ? 0 : click;
      const pass = (place: number, value: number, hits: number) => {
        if (hits > 0 && (wanted === undefined || wanted === value) && isAmong(classes, place))
          take(hour, place, value, hits);
      };
      eachCount(counts, (of, value, hits) => {
        if (of !== dimension) return;
        if (isReason) return pass(classOf(value), reasonOf(value), hits);
        unwritten -= hits;
        pass(clickClass, value, hits);
      });
      pass(clickClass, 0, unwritten);
    }
    if (rows.length < hoursAtOnce) return;
    from = (rows.at(-1)?.hour ?? from) + 1;
  }
}

function within(linkId: number, { from, to }: Partial<Hours>): RawBuilder<unknown> {
  const conditions = [
    sql`link_id = ${linkId}`,
    ...(from === undefined ? [] : [sql`hour >= ${from}`]),
    ...(to === undefined ? [] : [sql`hour < ${to}`]),
  ];
  return sql.join(conditions, sql` and `);
}
