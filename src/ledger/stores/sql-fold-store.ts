import type { Position } from '../../journal/files.ts';
import { dimensionCodes, rollupClasses } from '../../rules/click-fields.ts';
import { StoreUnavailable } from '../../rules/errors.ts';
import { newestMigration } from '../../storage/newest-migration.ts';
import { deletedBefore, minMigrationKey } from '../../storage/setting-keys.ts';
import type { NewDelivery } from '../../storage/webhooks/webhook-queue.ts';
import { wordsOf } from '../batch-words.ts';
import { countEntry, mergeCounts } from '../counts/hour-counts.ts';
import {
  type Claim,
  type Column,
  claimRetention,
  type DeliveriesOf,
  type FloodLevel,
  type FoldBatch,
  type HookedLink,
  type HourVisitors,
  JournalTaken,
  type LinkHours,
  linkClickColumns,
  linkHourColumns,
  type NewVisitors,
  type OtherClaim,
  rollupColumns,
  StoreChanged,
} from '../fold-store.ts';
import { hitIdOf } from './hit-packing.ts';

export type Row = Readonly<Record<string, unknown>>;

/** Parameters are `$1`, `$2` and so on, in the order in which they first appear. */
export type Query = <Found = Row>(sql: string, parameters?: readonly unknown[]) => Promise<readonly Found[]>;

/** One row per element of the parameters, which are arrays of these PostgreSQL types. */
export const unnested = (types: readonly string[]): string =>
  `unnest(${types.map((type, index) => `$${index + 1}::${type}[]`).join(', ')})`;

/** `query` runs outside a transaction. */
export interface Connection {
  readonly query: Query;
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T>;
}

/** A column to insert; it may have room for more rows than there are. */
export type Cells = Column | readonly string[];

export interface Insertion {
  /** `insert into` with its columns. */
  readonly head: string;
  /** How many columns are given; `constants` follow them. */
  readonly columns: number;
  readonly constants?: string;
  /** What follows the rows. */
  readonly tail?: string;
}

const sums = (table: string, columns: readonly string[]): string =>
  columns.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(', ');

/** All totals of the ledger: new rows are added to existing ones. */
export const totals = {
  linkHours: {
    head: `insert into link_hours (${linkHourColumns.join(', ')}, visitors, counts, loose)`,
    columns: linkHourColumns.length + 2,
    constants: ', 0',
    tail: `on conflict (link_id, hour) do update set ${sums('link_hours', [...rollupClasses, 'visitors'])},
      counts = link_hours.counts || excluded.counts, loose = link_hours.loose + length(excluded.counts)`,
  },
  organizationRollups: {
    head: 'insert into organization_rollups (organization_id, dimension, hour, class, value, hits)',
    columns: rollupColumns,
    tail: `on conflict (organization_id, dimension, hour, class, value)
      do update set ${sums('organization_rollups', ['hits'])}`,
  },
  linkClicks: {
    head: 'insert into link_clicks (link_id, clicks, last_clicked_at)',
    columns: linkClickColumns,
    tail: `on conflict (link_id) do update set ${sums('link_clicks', ['clicks'])}, last_clicked_at =
      case when excluded.last_clicked_at > link_clicks.last_clicked_at
        then excluded.last_clicked_at else link_clicks.last_clicked_at end`,
  },
} satisfies Record<string, Insertion>;
export type Total = keyof typeof totals;

/** An hour of a link with its counts. */
export interface LinkHour {
  readonly link: number;
  readonly hour: number;
  readonly counts: string;
}

export interface StoredWord {
  readonly id: number;
  readonly word: string;
}

/** Levels are stored in thousandths of a hit. */
const levelScale = 1_000;

export const deletedAtOnce = 2_000;

/**
 * The claims of a journal with hits after this position, its watermark: their batches were never folded. Such a batch may begin before
 * the watermark, because two processes can claim parts of a journal at the same time: a killed process's last transaction may come
 * late, and a copy of a journal may be folded beside it. Claims of the previous release have no end.
 */
const unfolded = (journal: string, segment: string, offset: string): string =>
  `journal = ${journal} and ((segment, byte_offset) >= (${segment}, ${offset})
    or (end_segment, end_offset) > (${segment}, ${offset}))`;

/** Counts are merged again when this many characters have been appended to them. */
export const maxLoose = 1_000;

const linkFields = `links.id, links.organization_id, links.suffix, domains.host, links.destination_url, links.android_url,
  links.ios_url, links.rules, links.webhook_url, links.webhook_events, links.webhook_auth_key, links.zapier_hook_url`;

/** The part of a `FoldStore` that both databases share. */
export abstract class SqlFoldStore {
  /** Follows `from links`. */
  protected readonly linkHint: string = '';
  /** The numbers in the first parameter, a JSON array. */
  protected abstract readonly listed: string;

  /** Outside a transaction. */
  protected abstract query: Query;
  protected abstract transaction<T>(work: (query: Query) => Promise<T>): Promise<T>;
  /** Returns a function that returns the ids of the hits by row, valid until others are inserted. */
  protected abstract appendHits(query: Query, batch: FoldBatch): Promise<() => Float64Array>;
  protected abstract insertVisitors(
    query: Query,
    groups: readonly HourVisitors[],
  ): Promise<readonly NewVisitors[]>;
  /** Columns of the same length. */
  protected abstract add(query: Query, total: Total, columns: readonly Cells[]): Promise<void>;
  /** Returns the hours whose counts should be merged. */
  protected abstract addLinkHours(query: Query, columns: readonly Cells[]): Promise<readonly LinkHour[]>;
  protected abstract setCounts(query: Query, hours: readonly LinkHour[]): Promise<void>;

  /** Prevents a sweep of words from beginning until the transaction ends. On SQLite being the only writer suffices. */
  protected async holdOffSweeps(_query: Query): Promise<void> {}

  async newestSweep(): Promise<number> {
    return newestSweep(this.query);
  }

  /** PostgreSQL's log is managed by its operator. */
  async shortenLog(): Promise<void> {}

  async watermark(journal: string): Promise<Position | null> {
    const sql = 'select segment, byte_offset as "offset" from journal_watermarks where node = $1';
    const [row] = await this.query<Position>(sql, [journal]);
    return row ?? null;
  }

  async finishJournal(journal: string, now: number): Promise<void> {
    await this.query('update journal_watermarks set finished_at = $1 where node = $2', [now, journal]);
  }

  async deleteFinishedBefore(at: number): Promise<void> {
    await this.query('delete from journal_watermarks where finished_at < $1', [at]);
  }

  /**
   * Its first statement waits for all other claims, on any node. A claim that doesn't begin at the watermark would belong to a batch
   * that is never folded, such as after the database has gone back in time: its hits would then be repeats of themselves.
   */
  async claim({ journal, from, to, ...claim }: Claim): Promise<number | null> {
    const start = [journal, from?.segment ?? 0, from?.offset ?? 0];
    return this.transaction(async (query) => {
      const [row] = await query(
        `update click_claim_turns set turn = turn + 1
         returning turn, (select value from settings where key = '${minMigrationKey}') as least,
           (select segment from journal_watermarks where node = $1) as segment,
           (select byte_offset from journal_watermarks where node = $1) as byte_offset`,
        [journal],
      );
      // A newer node has changed the tables that this one uses. The journal keeps the clicks until this one is upgraded.
      if (Number(row?.least ?? 0) > newestMigration)
        throw new StoreUnavailable('this node is too old for the database');
      if (Number(row?.segment ?? 0) !== start[1] || Number(row?.byte_offset ?? 0) !== start[2])
        throw new JournalTaken(journal);
      const claimNumber = Number(row?.turn);
      if (claim.mayHaveOld)
        await query(`delete from click_claims where ${unfolded('$1', '$2', '$3')} returning turn`, start);
      const isOld = 'folded_at < $1 or folded_at > $2';
      await query(
        `delete from click_claims where turn in (select turn from click_claims order by turn limit 20) and (${isOld}) returning turn`,
        [claim.now - claimRetention, claim.now + claimRetention],
      );
      const near = await query<{ turn: number }>(
        `select turn from click_claims where last_at > $1 and first_at < $2
         and not (${unfolded('$3', '$4', '$5')})`,
        [Math.floor(claim.first), Math.ceil(claim.last), ...start],
      );
      const unknown = near.map(({ turn }) => turn).filter((one) => !claim.known.includes(one));
      const others = await this.#among<OtherClaim>(
        query,
        'select turn as "claimNumber", last_at as "lastAt", cells from click_claims where turn',
        unknown,
      );
      const levels = await this.#among<FloodLevel>(
        query,
        'select pair, level, at from flood_levels where pair',
        claim.pairs,
      );
      const decision = claim.decide(
        others,
        levels.map((stored) => ({ ...stored, level: stored.level / levelScale })),
      );
      for (const { pair, level, at: last } of decision.levels)
        await query(
          `insert into flood_levels (pair, level, at, folded_at) values ($1, $2, $3, $4)
           on conflict (pair) do update set level = excluded.level, at = excluded.at, folded_at = excluded.folded_at`,
          [pair, Math.round(level * levelScale), Math.floor(last), claim.now],
        );
      const newClaim = decision.claim;
      if (newClaim === null) return null;
      await query(
        `insert into click_claims (turn, journal, segment, byte_offset, first_at, last_at, folded_at, cells, end_segment, end_offset)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
        [
          claimNumber,
          ...start,
          Math.floor(newClaim.firstAt),
          Math.ceil(newClaim.lastAt),
          claim.now,
          newClaim.cells,
          to.segment,
          to.offset,
        ],
      );
      return claimNumber;
    });
  }

  async deleteClaimsBefore(now: number): Promise<void> {
    await this.query('delete from click_claims where folded_at < $1', [now]);
    await this.query('delete from flood_levels where folded_at < $1', [now]);
  }

  /** Every node takes locks in the order of the keys: two folds at the same time wait for each other, but don't deadlock. */
  async fold(batch: FoldBatch, deliveriesOf: DeliveriesOf): Promise<void> {
    await this.transaction(async (query) => {
      await this.holdOffSweeps(query);
      await moveWatermark(query, batch);
      await this.#requireWords(query, batch);
      if ((await newestSweep(query)) !== batch.sweep) await this.#keepWords(query, batch);
      const links = await this.#linksWithHooks(query, batch);
      const ids = await this.appendHits(query, batch);
      const visitors = await this.insertVisitors(query, batch.visitors);
      const { ofLinkHours, organizations, counts } = splitVisitors(batch.linkHours, visitors);
      const { numbers } = batch.linkHours;
      const hours = [...columnsOf(numbers, linkHourColumns.length), ofLinkHours, counts];
      await this.#mergeLinkHours(query, await this.addLinkHours(query, hours));
      await this.#addRows(query, 'organizationRollups', batch.organizationRollups);
      await this.#addRows(query, 'organizationRollups', organizations);
      await this.#addRows(query, 'linkClicks', batch.linkClicks);
      await insertDeliveries(query, deliveriesOf(links, hitIdOf(batch, ids)));
    });
  }

  async verifiedHosts(): Promise<readonly string[]> {
    const rows = await this.query('select host from domains where verified_at is not null');
    return rows.map(({ host }) => String(host));
  }

  /** The sum of their ids. */
  async endedCorrections(): Promise<number> {
    const [row] = await this.query(
      'select sum(id) as ids from click_corrections where finished_at is not null',
    );
    return Number(row?.ids ?? 0);
  }

  async deleteVisitorsBefore(day: number): Promise<boolean> {
    const rows = await this.query(
      `delete from daily_visitors where (day, owner, visitor) in
       (select day, owner, visitor from daily_visitors where day < $1 limit ${deletedAtOnce}) returning day`,
      [day],
    );
    return rows.length >= deletedAtOnce;
  }

  async noteDeletedBefore(at: number, now: number): Promise<void> {
    const isLater = (one: string, other: string) => `cast(${one} as bigint) > cast(${other} as bigint)`;
    await this.query(
      `insert into settings (key, value) values ($1, $2) on conflict (key) do update
       set value = case when ${isLater('settings.value', '$3')} then cast($3 as text) else excluded.value end
       where ${isLater('excluded.value', 'settings.value')} or ${isLater('settings.value', '$3')}`,
      [deletedBefore, String(at), String(now)],
    );
  }

  async deleteUncounted(_now: number): Promise<boolean> {
    return false;
  }

  async deleteUncountedOf(_journal: string, _now: number): Promise<boolean> {
    return false;
  }

  /** Completes a statement that ends with a column: for the rows in which it is one of these numbers. */
  async #among<Found>(query: Query, start: string, numbers: readonly number[]): Promise<readonly Found[]> {
    return numbers.length === 0 ? [] : query(`${start} in ${this.listed}`, [JSON.stringify(numbers)]);
  }

  /** If the database has gone back in time since then, new words are lost, and their ids may belong to other words. */
  async #requireWords(query: Query, batch: FoldBatch): Promise<void> {
    const { newWords } = batch;
    const select = 'select id, word from words where id';
    const rows = await this.#among<StoredWord>(query, select, [...newWords.keys()]);
    const isThere = rows.every(({ id, word }) => newWords.get(id) === word);
    if (!isThere || rows.length !== newWords.size) throw new StoreChanged('new words are gone');
  }

  /** A sweep has begun since the ids of this batch were fetched, and may have deleted some of its words. */
  async #keepWords(query: Query, batch: FoldBatch): Promise<void> {
    const ids = wordsOf(batch.hits);
    const kept = await query(
      `update words set sweep = (select sweep from word_sweeps) where id in ${this.listed} returning id`,
      [JSON.stringify([...ids])],
    );
    if (kept.length !== ids.size) throw new StoreChanged('words have been deleted');
  }

  async #addRows(query: Query, total: Total, rows: Float64Array): Promise<void> {
    await this.add(query, total, columnsOf(rows, totals[total].columns));
  }

  /** Merges counts that were appended to again and again. */
  async #mergeLinkHours(query: Query, hours: readonly LinkHour[]): Promise<void> {
    const merged = hours.map((hour) => ({ ...hour, counts: mergeCounts(hour.counts) }));
    if (merged.length > 0) await this.setCounts(query, merged);
  }

  /** The links of this batch with a webhook or a Zap, by id: nearly always none. */
  async #linksWithHooks(query: Query, batch: FoldBatch): Promise<ReadonlyMap<number, HookedLink>> {
    const links = `from links ${this.linkHint} left join domains on domains.id = links.domain_id
      where (links.webhook_url is not null or links.zapier_hook_url is not null)`;
    const [any] = batch.linkClicks.length === 0 ? [] : await query(`select links.id ${links} limit 1`);
    if (any === undefined) return new Map();
    const clicked = Array.from(columnsOf(batch.linkClicks, linkClickColumns)[0] ?? []);
    const found = await this.#among<HookedLink>(query, `select ${linkFields} ${links} and links.id`, clicked);
    return new Map(found.map((link) => [link.id, link]));
  }
}

async function newestSweep(query: Query): Promise<number> {
  const [row] = await query('select sweep from word_sweeps');
  return Number(row?.sweep ?? 0);
}

async function moveWatermark(query: Query, { journal, from, to }: FoldBatch): Promise<void> {
  const moved =
    from === null
      ? await query(
          'insert into journal_watermarks (node, segment, byte_offset) values ($1, $2, $3) on conflict do nothing returning node',
          [journal, to.segment, to.offset],
        )
      : await query(
          'update journal_watermarks set segment = $1, byte_offset = $2, finished_at = null where node = $3 and segment = $4 and byte_offset = $5 returning node',
          [to.segment, to.offset, journal, from.segment, from.offset],
        );
  if (moved.length !== 1) throw new JournalTaken(journal);
}

async function insertDeliveries(query: Query, deliveries: readonly NewDelivery[]): Promise<void> {
  for (const delivery of deliveries) {
    const columns = Object.keys(delivery);
    const parameters = columns.map((_, index) => `$${index + 1}`).join(', ');
    await query(
      `insert into webhook_deliveries (${columns.join(', ')}) values (${parameters})`,
      Object.values(delivery),
    );
  }
}

function columnsOf(rows: Float64Array, width: number): Float64Array[] {
  const count = rows.length / width;
  const columns = Array.from({ length: width }, () => new Float64Array(count));
  for (let index = 0; index < width; index++) {
    const column = columns[index];
    for (let row = 0; column !== undefined && row < count; row++)
      column[row] = rows[row * width + index] ?? 0;
  }
  return columns;
}

/** New visitors, counted in the hour of their first click: by row of the links' hours, and as rows of the organizations' roll-ups. */
function splitVisitors(
  { numbers, counts }: LinkHours,
  found: readonly NewVisitors[],
): { ofLinkHours: Float64Array; organizations: Float64Array; counts: readonly string[] } {
  const ofLinkHours = new Float64Array(counts.length);
  const organizations: number[] = [];
  let withVariants: string[] | null = null;
  for (const { hour, owner, variant, count } of found) {
    if (count === 0) continue;
    if (owner < 0) {
      organizations.push(-owner, dimensionCodes.visitors, hour, 0, 0, count);
      continue;
    }
    const row = rowOf(numbers, owner, hour);
    ofLinkHours[row] = (ofLinkHours[row] ?? 0) + count;
    if (variant === 0) continue;
    withVariants ??= [...counts];
    withVariants[row] += countEntry(dimensionCodes.variant_visitors, variant, count);
  }
  return { ofLinkHours, organizations: Float64Array.from(organizations), counts: withVariants ?? counts };
}

/** The row of this link and hour, which exists for every visitor. */
function rowOf(numbers: Float64Array, link: number, hour: number): number {
  const width = linkHourColumns.length;
  let low = 0;
  for (let high = numbers.length / width; low < high; ) {
    const middle = (low + high) >> 1;
    const rowLink = numbers[middle * width] ?? 0;
    if (rowLink < link || (rowLink === link && (numbers[middle * width + 1] ?? 0) < hour)) low = middle + 1;
    else high = middle;
  }
  return low;
}
