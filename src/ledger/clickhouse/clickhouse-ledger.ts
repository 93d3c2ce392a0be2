import { type HitColumn, hitColumns, reasonCodes, rollupClassCodes } from '../../rules/click-fields.ts';
import { firstMarked } from '../../rules/reclassified.ts';
import { hourLength } from '../../rules/utc-time.ts';
import type { GroupCount } from '../groups.ts';
import {
  askBoth,
  type CountAndGroups,
  type HitCount,
  type HitFilter,
  type HitOwner,
  type HitPage,
  type Ledger,
  type PageAfter,
  type PageBefore,
  type StoredHit,
} from '../ledger.ts';
import type { ClickhouseClient } from './clickhouse-client.ts';

/** How many ids are looked at first: those that came last lie in parts of their own. */
const firstIds = 1_000_000;
const columns = `id, ${hitColumns.join(', ')}`;

/** Hits in ClickHouse. */
export class ClickhouseLedger implements Ledger {
  readonly #client: ClickhouseClient;

  constructor(client: ClickhouseClient) {
    this.#client = client;
  }

  async before(filter: HitFilter, page: PageBefore): Promise<HitPage> {
    const { limit, offset } = page;
    if (offset === 0) return this.#newest(filter, page);
    const until = page.before === undefined ? [] : [`id < ${whole(page.before)}`];
    const hits = await this.#hits([...conditionsOf(filter), ...until], 'desc', limit, offset);
    const passed = hits.length > 0 ? offset : await this.#total(filter, until);
    return { hits, passed, stoppedAt: null };
  }

  /** Looks at more and more ids at a time, so that it ends in time also where few hits of very many match. */
  async #newest(filter: HitFilter, page: PageBefore): Promise<HitPage> {
    const { until = Number.POSITIVE_INFINITY } = page;
    const found: StoredHit[] = [];
    const lowest = (filter.above ?? 0) + 1;
    let before = page.before ?? (await this.newestId()) + 1;
    for (let ids = firstIds; ; ids *= 16) {
      const from = Math.max(lowest, before - ids);
      const span = [`id >= ${whole(from)}`, `id < ${whole(before)}`];
      const missing = page.limit - found.length;
      found.push(...(await this.#hits([...conditionsOf(filter), ...span], 'desc', missing)));
      if (found.length === page.limit || from <= lowest) return { hits: found, passed: 0, stoppedAt: null };
      if (performance.now() >= until) return { hits: found, passed: 0, stoppedAt: from };
      before = from;
    }
  }

  async after(filter: HitFilter, { after, upTo, limit }: PageAfter): Promise<readonly StoredHit[]> {
    const span = [`id > ${whole(after)}`, `id <= ${whole(upTo)}`];
    return this.#hits([...conditionsOf(filter), ...span], 'asc', limit);
  }

  count(filter: HitFilter, by: 'hour' | 'class'): Promise<readonly HitCount[]> {
    const value = by === 'hour' ? `intDiv(at, ${hourLength})` : rollupClass;
    return this.#client.rows<HitCount>(
      `select ${value} as value, ${rollupClass} as class, count() as hits
       from hits where ${all(conditionsOf(filter))} group by 1, 2`,
    );
  }

  groups(filter: HitFilter, by: HitColumn, limit: number): Promise<readonly GroupCount[]> {
    return this.#client.rows<GroupCount>(
      `select value, clicks, hits, sum(clicks) over () as all_clicks, sum(hits) over () as all_hits from (
         select ${by === 'class' ? rollupClass : shown(by)} as value,
           countIf(${rollupClass} = ${rollupClassCodes.click}) as clicks, count() as hits
         from hits where ${all(conditionsOf(filter))} group by value
       ) order by hits desc, value limit ${whole(limit)}`,
    );
  }

  countAndGroups(
    filter: HitFilter,
    _starts: readonly number[],
    by: HitColumn,
    limit: number,
  ): Promise<CountAndGroups> {
    return askBoth(this, filter, by, limit);
  }

  async newestId(): Promise<number> {
    const [row] = await this.#client.rows<{ id: number }>('select max(last_id) as id from hit_batches');
    return row?.id ?? 0;
  }

  ownersAfter(id: number, limit: number): Promise<readonly HitOwner[]> {
    return this.#client.rows<HitOwner>(
      `select id, organization_id from hits where id > ${whole(Math.max(0, id))} order by id limit ${whole(limit)}`,
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
       order by id ${order} limit ${whole(limit)} offset ${whole(offset)}`,
    );
  }

  async #total(filter: HitFilter, more: readonly string[]): Promise<number> {
    const [row] = await this.#client.rows<{ hits: number }>(
      `select count() as hits from hits where ${all([...conditionsOf(filter), ...more])}`,
    );
    return row?.hits ?? 0;
  }
}

/** `rollupClassOf` of `rules/click-fields.ts`, in ClickHouse's words. */
const rollupClass = 'if(hits.class > 0, hits.class + 1, if(outcome = 0, 0, 1))';

/** As `shownReason` has it. */
const shown = (column: HitColumn): string =>
  column === 'reason'
    ? `if(reason >= ${firstMarked}, ${reasonCodes.reclassified}, reason)`
    : `hits.${column}`;

const all = (conditions: readonly string[]): string => conditions.join(' and ');
/** Nothing but numbers comes into a statement. */
const whole = (number: number): string => BigInt(Math.trunc(number)).toString();
const listed = (numbers: readonly number[]): string =>
  numbers.length === 0 ? 'null' : numbers.map(whole).join(', ');

function conditionsOf({ owner, classes, values = [], from, to, above = 0 }: HitFilter): string[] {
  return [
    `${owner.kind}_id = ${whole(owner.id)}`,
    ...(classes === undefined ? [] : [`${rollupClass} in (${listed(classes)})`]),
    ...values.map(([column, value]) => `${shown(column)} = ${whole(value)}`),
    ...(owner.links === undefined ? [] : [`link_id in (${listed(owner.links)})`]),
    ...(from === undefined ? [] : [`at >= ${whole(Math.ceil(from))}`]),
    ...(to === undefined ? [] : [`at < ${whole(Math.ceil(to))}`]),
    ...(above === 0 ? [] : [`id > ${whole(above)}`]),
  ];
}
