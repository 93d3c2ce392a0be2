import { type RawBuilder, sql } from 'kysely';
import type { HitPack } from '../ledger/hit-pack.ts';
import { clickClass } from '../ledger/hour-counts.ts';
import type { Owner } from '../ledger/owner.ts';
import { eachPack } from '../ledger/packed-hits.ts';
import { rollupClass } from '../ledger/rollup-class.ts';
import type { Database } from '../storage/database.ts';
import { dialects } from '../storage/dialect.ts';
import type { GroupCount } from './rollup-queries.ts';

const hourLength = 3_600_000;
const maxClasses = 8;

export type HitColumn =
  | 'country'
  | 'device'
  | 'os'
  | 'browser'
  | 'language'
  | 'referrer'
  | 'utm_source'
  | 'utm_medium'
  | 'utm_campaign'
  | 'target'
  | 'source'
  | 'reason';

export interface RawSlice {
  readonly owner: Owner;
  readonly filters: readonly (readonly [HitColumn, number])[];
  /** Classes of the roll-ups. */
  readonly classes: readonly number[];
  /** Instants; `to` is the first that is no longer in it. */
  readonly from: number;
  readonly to: number;
}

export async function rawHourCounts(
  database: Database,
  slice: RawSlice,
): Promise<readonly { hour: number; class: number; hits: number }[]> {
  const { rows } = await sql<{ hour: number; class: number; hits: number }>`
    select at / 3600000 as hour, ${rollupClass} as class, count(*) as hits
    from hits where ${matches(database, slice)} group by 1, 2`.execute(database.read);
  const packed = new Map<number, number>();
  await eachPacked(database, slice, (pack, row, place) => {
    const key = Math.floor((pack.column('at')[row] ?? 0) / hourLength) * maxClasses + place;
    packed.set(key, (packed.get(key) ?? 0) + 1);
  });
  const further = Array.from(packed, ([key, hits]) => ({
    hour: Math.floor(key / maxClasses),
    class: key % maxClasses,
    hits,
  }));
  return [...rows, ...further];
}

export async function rawGroupCounts(
  database: Database,
  slice: RawSlice,
  by: HitColumn | 'class',
  most: number,
): Promise<readonly GroupCount[]> {
  const packed = new Map<number, Count>();
  await eachPacked(database, slice, (pack, row, place) => {
    const value = by === 'class' ? place : (pack.column(by)[row] ?? 0);
    add(packed, value, place === clickClass ? 1 : 0, 1);
  });
  const value = by === 'class' ? rollupClass : sql.ref(by);
  const clicks = sql`sum(case when ${rollupClass} = ${sql.lit(clickClass)} then 1 else 0 end)`;
  // Where there are packs, the largest groups are only known when both are added up.
  const largest = packed.size > 0 ? sql`` : sql` order by 3 desc, 1 limit ${sql.lit(most)}`;
  const { rows } = await sql<GroupCount>`
    select ${value} as value, ${clicks} as clicks, count(*) as hits,
      sum(${clicks}) over () as all_clicks, sum(count(*)) over () as all_hits
    from hits where ${matches(database, slice)} group by 1${largest}`.execute(database.read);
  return packed.size > 0 ? largestOf(rows, packed, most) : rows;
}

interface Count {
  clicks: number;
  hits: number;
}

function add(counts: Map<number, Count>, value: number, clicks: number, hits: number): void {
  const count = counts.get(value) ?? { clicks: 0, hits: 0 };
  counts.set(value, count);
  count.clicks += clicks;
  count.hits += hits;
}

function largestOf(rows: readonly GroupCount[], counts: Map<number, Count>, most: number): GroupCount[] {
  for (const { value, clicks, hits } of rows) add(counts, value, clicks, hits);
  const all = [...counts.values()].reduce((sum, { clicks, hits }) => ({
    clicks: sum.clicks + clicks,
    hits: sum.hits + hits,
  }));
  return Array.from(counts, ([value, count]) => ({ value, ...count }))
    .sort((one, other) => other.hits - one.hits || one.value - other.value)
    .slice(0, most)
    .map((group) => ({ ...group, all_clicks: all.clicks, all_hits: all.hits }));
}

/** Each packed hit that a slice has, with its class. */
async function eachPacked(
  database: Database,
  { owner, filters, classes, from, to }: RawSlice,
  take: (pack: HitPack, row: number, place: number) => void,
): Promise<void> {
  for await (const hits of eachPack(database, owner, { from, to })) {
    const { pack } = hits;
    const at = pack.column('at');
    const wanted = filters.map(([name, value]) => [pack.column(name), value] as const);
    for (let row = hits.from; row < hits.to; row++) {
      const instant = at[row] ?? 0;
      if (instant < from || instant >= to) continue;
      const place = pack.rollupClass(row);
      if (classes.includes(place) && wanted.every(([column, value]) => column[row] === value))
        take(pack, row, place);
    }
  }
}

function matches({ kind }: Database, { owner, filters, classes, from, to }: RawSlice): RawBuilder<unknown> {
  const conditions = [
    dialects[kind].keepGoing('id'),
    sql`${sql.ref(`${owner.kind}_id`)} = ${owner.id}`,
    sql`at >= ${from} and at < ${to}`,
    sql`${rollupClass} in (${sql.join(classes.map((place) => sql.lit(place)))})`,
    ...filters.map(([column, value]) => sql`${sql.ref(column)} = ${value}`),
  ];
  return sql.join(conditions, sql` and `);
}
