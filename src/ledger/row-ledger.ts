import { type RawBuilder, sql } from 'kysely';
import { type HitColumn, reasonCodes } from '../rules/click-fields.ts';
import { firstReclassified } from '../rules/reclassified.ts';
import type { Database } from '../storage/database.ts';
import { dialects } from '../storage/dialect.ts';
import type { HitCount, HitFilter, HitOwner, HitPage, PageAfter, PageBefore, StoredHit } from './ledger.ts';

/** `rollupClassOf` of `rules/click-fields.ts`, in SQL. */
const rollupClass = sql<number>`case when class > 0 then class + 1 when outcome = 0 then 0 else 1 end`;

/** The first id of the range, and the first one after it. */
interface Ids {
  readonly from?: number;
  readonly before?: number | undefined;
}

/** The number of ids in the first range. */
const firstIds = 16_384;

/** Hits as rows of the table `hits`, by the methods of a `Ledger` that `PackLedger` needs. */
export class RowLedger {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async before(filter: HitFilter, page: Ids & PageBefore): Promise<HitPage> {
    if (page.until !== undefined && page.offset === 0) return this.#beforeInTime(filter, page, page.until);
    const hits = await this.#rowsBefore(filter, page);
    const passed = hits.length > 0 || page.offset === 0 ? page.offset : await this.total(filter, page);
    return { hits, passed, stoppedAt: null };
  }

  async #rowsBefore(filter: HitFilter, page: Ids & PageBefore): Promise<readonly StoredHit[]> {
    const { rows } = await sql<StoredHit>`
      select * from hits where ${this.#matches(filter, page)}
      order by id desc limit ${page.limit} offset ${page.offset}`.execute(this.#database.read);
    return rows;
  }

  /** Reads larger and larger ranges of ids, so that it ends in time even if few of very many hits match. */
  async #beforeInTime(filter: HitFilter, page: Ids & PageBefore, until: number): Promise<HitPage> {
    const hits: StoredHit[] = [];
    const lowest = Math.max(page.from ?? 0, (filter.above ?? 0) + 1);
    let before = page.before ?? (await this.newestId()) + 1;
    for (let ids = firstIds; ; ids *= 4) {
      const from = Math.max(lowest, before - ids);
      const limit = page.limit - hits.length;
      hits.push(...(await this.#rowsBefore(filter, { ...page, from, before, limit })));
      if (hits.length === page.limit || from <= lowest) break;
      if (performance.now() >= until) return { hits, passed: 0, stoppedAt: from };
      before = from;
    }
    return { hits, passed: 0, stoppedAt: null };
  }

  async total(filter: HitFilter, ids: Ids): Promise<number> {
    const counts = await this.count(filter, 'class', ids);
    return counts.reduce((sum, { hits }) => sum + hits, 0);
  }

  async after(filter: HitFilter, { after, upTo, limit }: PageAfter): Promise<readonly StoredHit[]> {
    const { rows } = await sql<StoredHit>`
      select * from hits where ${this.#matches(filter, { from: after + 1, before: upTo + 1 })}
      order by id limit ${limit}`.execute(this.#database.read);
    return rows;
  }

  async count(filter: HitFilter, by: 'hour' | 'class', ids: Ids = {}): Promise<readonly HitCount[]> {
    const value = by === 'hour' ? sql`at / 3600000` : rollupClass;
    const { rows } = await sql<HitCount>`
      select ${value} as value, ${rollupClass} as class, count(*) as hits
      from hits where ${this.#matches(filter, ids)} group by 1, 2`.execute(this.#database.read);
    return rows;
  }

  /** The counts of the lowest values from `from` on, sorted by value. */
  async countFrom(
    filter: HitFilter,
    by: HitColumn,
    from: number,
    limit: number,
  ): Promise<readonly HitCount[]> {
    const { rows } = await sql<HitCount>`
      select ${valueIn(by)} as value, ${rollupClass} as class, count(*) as hits
      from hits where ${this.#matches(filter, {})} and ${valueIn(by)} >= ${from}
      group by 1, 2 order by 1 limit ${sql.lit(limit)}`.execute(this.#database.read);
    return rows;
  }

  async newestId(): Promise<number> {
    const { rows } = await sql<{ id: number }>`select id from hits order by id desc limit 1`.execute(
      this.#database.read,
    );
    return rows[0]?.id ?? 0;
  }

  async ownersAfter(id: number, limit: number): Promise<readonly HitOwner[]> {
    return this.#database.read
      .selectFrom('hits')
      .select(['id', 'organization_id'])
      .where('id', '>', id)
      .orderBy('id')
      .limit(limit)
      .execute();
  }

  #matches(
    { owner, classes, values = [], from, to, above = 0 }: HitFilter,
    { from: firstId = 0, before }: Ids,
  ): RawBuilder<unknown> {
    const conditions = [
      dialects[this.#database.kind].keepGoing('id'),
      sql`${sql.ref(`${owner.kind}_id`)} = ${owner.id}`,
      ...(classes === undefined
        ? []
        : [sql`${rollupClass} in (${sql.join(classes.map((code) => sql.lit(code)))})`]),
      ...values.map(([column, value]) => sql`${shown(column)} = ${value}`),
      ...(owner.links === undefined ? [] : [sql`link_id in (${listed(owner.links)})`]),
      ...(from === undefined ? [] : [sql`at >= ${from}`]),
      ...(to === undefined ? [] : [sql`at < ${to}`]),
      ...(firstId === 0 && above === 0 ? [] : [sql`id >= ${Math.max(firstId, above + 1)}`]),
      ...(before === undefined ? [] : [sql`id < ${before}`]),
    ];
    return sql.join(conditions, sql` and `);
  }
}

const listed = (ids: readonly number[]) =>
  ids.length === 0 ? sql`null` : sql.join(ids.map((id) => sql.lit(id)));

/** The same as `shownReason`, in SQL. */
const reason = sql`case when reason >= ${sql.lit(firstReclassified)} then ${sql.lit(reasonCodes.reclassified)} else reason end`;
const shown = (column: HitColumn) => (column === 'reason' ? reason : sql.ref(column));
const valueIn = (by: HitColumn) => (by === 'class' ? rollupClass : shown(by));
