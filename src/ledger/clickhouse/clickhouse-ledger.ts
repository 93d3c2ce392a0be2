import { type HitColumn, hitColumns, reasonCodes, rollupClassCodes } from '../../rules/click-fields.ts';
import { hourLength } from '../../rules/durations.ts';
import { firstReclassified } from '../../rules/reclassified.ts';
import type { GroupCount } from '../groups.ts';
import type {
  CountAndGroups,
  HitCount,
  HitFilter,
  HitOwner,
  HitPage,
  Ledger,
  PageAfter,
  PageBefore,
  StoredHit,
} from '../ledger.ts';
import type { ClickhouseClient } from './clickhouse-client.ts';
import { monthNumber, projectedColumns, rollupClassSql } from './clickhouse-tables.ts';

/** The number of ids in the first range: the newest hits are in parts of their own. */
const firstIds = 1_000_000;
const columns = `id, ${hitColumns.join(', ')}`;

export class ClickhouseLedger implements Ledger {
  readonly #client: ClickhouseClient;

  constructor(client: ClickhouseClient) {
    this.#client = client;
  }

  async before(filter: HitFilter, page: PageBefore): Promise<HitPage> {
    const { limit, offset } = page;
    if (offset === 0) return this.#newest(filter, page);
    const conditions = conditionsOf(filter);
    if (page.before !== undefined) conditions.push(`id < ${integer(page.before)}`);
    const hits = await this.#hits(conditions, 'desc', limit, offset);
    if (hits.length > 0) return { hits, passed: offset, stoppedAt: null };
    const [row] = await this.#client.rows<{ hits: number }>(
      `select count() as hits from hits where ${all(conditions)}`,
    );
    return { hits, passed: row?.hits ?? 0, stoppedAt: null };
  }

  /** Reads larger and larger ranges of ids, so that it ends in time even if few of very many hits match. */
  async #newest(filter: HitFilter, page: PageBefore): Promise<HitPage> {
    const { until = Number.POSITIVE_INFINITY } = page;
    const found: StoredHit[] = [];
    const lowest = (filter.above ?? 0) + 1;
    let before = page.before ?? (await this.newestId()) + 1;
    for (let ids = firstIds; ; ids *= 16) {
      const from = Math.max(lowest, before - ids);
      const span = [`id >= ${integer(from)}`, `id < ${integer(before)}`];
      const missing = page.limit - found.length;
      found.push(...(await this.#hits([...conditionsOf(filter), ...span], 'desc', missing)));
      if (found.length === page.limit || from <= lowest) return { hits: found, passed: 0, stoppedAt: null };
      if (performance.now() >= until) return { hits: found, passed: 0, stoppedAt: from };
      before = from;
    }
  }

  async after(filter: HitFilter, { after, upTo, limit }: PageAfter): Promise<readonly StoredHit[]> {
    const span = [`id > ${integer(after)}`, `id <= ${integer(upTo)}`];
    return this.#hits([...conditionsOf(filter), ...span], 'asc', limit);
  }

  count(filter: HitFilter, by: 'hour' | 'class', starts?: readonly number[]): Promise<readonly HitCount[]> {
    const { hour, kind, conditions, settings } = countedBy(filter);
    return this.#client.rows<HitCount>(
      `select ${by === 'hour' ? bucketOf(hour, starts) : kind} as value, ${kind} as class, count() as hits
       from hits where ${all(conditions)} group by 1, 2 ${settings}`,
    );
  }

  groups(filter: HitFilter, by: HitColumn, limit: number): Promise<readonly GroupCount[]> {
    const { kind, conditions, settings } = countedBy(filter, by);
    return this.#client.rows<GroupCount>(
      `select value, ${sums}, sum(clicks) over () as all_clicks, sum(hits) over () as all_hits from (
         select ${by === 'class' ? kind : shown(by)} as value, ${kind} as rollup, count() as counted
         from hits where ${all(conditions)} group by value, rollup
       ) group by value order by hits desc, value limit ${integer(limit)} ${settings}`,
    );
  }

  /** One pass over the hits, because filtering is most of the cost. Both results are sums of its counts. */
  async countAndGroups(
    filter: HitFilter,
    starts: readonly number[],
    by: HitColumn,
    limit: number,
  ): Promise<CountAndGroups> {
    const { hour, kind, conditions, settings } = countedBy(filter, by);
    const rows = await this.#client.rows<GroupCount & { is_group: number; bucket: number; rollup: number }>(
      `select * from (
         select *, sum(clicks) over part as all_clicks, sum(hits) over part as all_hits,
           row_number() over (partition by is_group order by hits desc, value) as rank
         from (
           select bucket, rollup, value, grouping(bucket) as is_group, ${sums} from (
             select ${bucketOf(hour, starts)} as bucket, ${kind} as rollup, ${by === 'class' ? kind : shown(by)} as value,
               count() as counted
             from hits where ${all(conditions)} group by bucket, rollup, value
           ) group by grouping sets ((bucket, rollup), (value))
         ) window part as (partition by is_group)
       ) where not is_group or rank <= ${integer(limit)} order by is_group, rank ${settings}`,
    );
    return {
      counts: rows
        .filter((row) => !row.is_group)
        .map((row) => ({ value: row.bucket, class: row.rollup, hits: row.hits })),
      groups: rows
        .filter((row) => row.is_group)
        .map(({ value, clicks, hits, all_clicks, all_hits }) => ({
          value,
          clicks,
          hits,
          all_clicks,
          all_hits,
        })),
    };
  }

  async newestId(): Promise<number> {
    const [row] = await this.#client.rows<{ id: number }>('select max(last_id) as id from hit_batches');
    return row?.id ?? 0;
  }

  ownersAfter(id: number, limit: number): Promise<readonly HitOwner[]> {
    return this.#client.rows<HitOwner>(
      `select id, organization_id from hits where id > ${integer(Math.max(0, id))} order by id limit ${integer(limit)}`,
    );
  }

  #hits(
    conditions: readonly string[],
    order: 'asc' | 'desc',
    limit: number,
    offset = 0,
  ): Promise<readonly StoredHit[]> {
    return this.#client.rows<StoredHit>(
      `select ${columns} from hits where ${all(conditions)}
       order by id ${order} limit ${integer(limit)} offset ${integer(offset)}`,
    );
  }
}

/** Qualified, because the results have a column `class` as well. */
const rollupClass = rollupClassSql('hits.class');

/** The same as `shownReason`, in SQL. */
const shown = (column: HitColumn): string =>
  column === 'reason'
    ? `if(reason >= ${firstReclassified}, ${reasonCodes.reclassified}, reason)`
    : `hits.${column}`;

const all = (conditions: readonly string[]): string => conditions.join(' and ');
/** Only numbers are ever put into a statement. */
const integer = (number: number): string => BigInt(Math.trunc(number)).toString();
const listed = (numbers: readonly number[]): string =>
  numbers.length === 0 ? 'null' : numbers.map(integer).join(', ');

const isOneOf = (column: string, numbers: readonly number[]): string =>
  numbers.length === 1 ? `${column} = ${listed(numbers)}` : `${column} in (${listed(numbers)})`;

/** All hits of a link belong to its organization, by which the table is sorted first. */
const ownerConditions = ({ owner }: HitFilter): string[] => [
  ...(owner.kind === 'link' ? [`indexHint(organization_id = ${integer(owner.organizationId)})`] : []),
  `${owner.kind}_id = ${integer(owner.id)}`,
  ...(owner.links === undefined ? [] : [`link_id in (${listed(owner.links)})`]),
];

/** `from` is included, `to` is not; undefined for no bound. */
const within = (column: string, from: number | undefined, to: number | undefined): string[] => [
  ...(from === undefined ? [] : [`${column} >= ${integer(Math.ceil(from))}`]),
  ...(to === undefined ? [] : [`${column} < ${integer(Math.ceil(to))}`]),
];

/** The owner, the time and the class may be tested by derived columns instead of a hit's own. */
function conditionsOf(
  filter: HitFilter,
  owner = ownerConditions(filter),
  time = within('at', filter.from, filter.to),
  kind = rollupClass,
): string[] {
  const { classes, values = [], above = 0 } = filter;
  return [
    ...owner,
    ...(classes === undefined ? [] : [isOneOf(kind, classes)]),
    ...values.map(([column, value]) => `${shown(column)} = ${integer(value)}`),
    ...time,
    ...(above === 0 ? [] : [`id > ${integer(above)}`]),
  ];
}

interface CountedBy {
  readonly hour: string;
  readonly kind: string;
  readonly conditions: readonly string[];
  /** Ends the statement. */
  readonly settings: string;
}

/** Searching for a usable projection takes some tens of milliseconds. */
const withoutProjections = 'settings optimize_use_projections = 0';

const isWholeHour = (at: number | undefined): boolean => at === undefined || at % hourLength === 0;

/**
 * Whole hours are counted by narrow columns that are derived from a hit's class and instant; parts of the table are still found by
 * the instant. Hits of a whole organization are counted from a projection if it has all needed columns: its own column names select
 * it.
 */
function countedBy(filter: HitFilter, by: HitColumn = 'reason'): CountedBy {
  const { owner, values = [], from, to, above = 0 } = filter;
  if (!isWholeHour(from) || !isWholeHour(to))
    return {
      hour: `intDiv(at, ${hourLength})`,
      kind: rollupClass,
      conditions: conditionsOf(filter),
      settings: withoutProjections,
    };
  const columns = [by === 'class' ? 'reason' : by, ...values.map(([column]) => column)];
  const isProjected =
    owner.kind === 'organization' &&
    owner.links === undefined &&
    above === 0 &&
    columns.every((column) => projectedColumns.has(column));
  const months = within('month', from && monthNumber(from), to && monthNumber(to - 1) + 1);
  const parts = isProjected ? months : within('at', from, to).map((time) => `indexHint(${time})`);
  const hours = within('hour', from && from / hourLength, to && to / hourLength);
  const owners = isProjected ? [`owner = ${integer(owner.id)}`] : ownerConditions(filter);
  return {
    hour: 'hour',
    kind: 'kind',
    conditions: conditionsOf(filter, owners, [...parts, ...hours], 'kind'),
    settings: isProjected ? '' : withoutProjections,
  };
}

const sums = `sumIf(counted, rollup = ${rollupClassCodes.click}) as clicks, sum(counted) as hits`;

/** With more buckets hits are counted by the hour, because finding the bucket of each hour would take longer. */
const maxBuckets = 400;

/** An hour of the bucket: grouping by bucket takes less time than grouping by hour. */
const bucketOf = (hour: string, starts: readonly number[] = []): string =>
  starts.length === 0 || starts.length > maxBuckets ? hour : `roundDown(${hour}, [${listed(starts)}])`;
