import { type RawBuilder, type Selectable, sql } from 'kysely';
import { type Dialect, dialectOf } from './dialect.ts';
import { type ColumnKind, jsonRows } from './json-rows.ts';
import { linkColumns } from './link-columns.ts';
import { type Prepared, prepared } from './prepared.ts';
import { defaultDomainId, type Queries, type Schema } from './schema.ts';

type Stored = Selectable<Schema['links']>;

/** A row of which nothing is left to defaults but its id, where it has none, and to its organization the marker. */
export interface CompleteLink extends Omit<Stored, 'id' | 'qr_marker'> {
  readonly id: number | null;
  readonly qr_marker: number | null;
}

const names = Object.keys(linkColumns) as Column[];

type Column = keyof CompleteLink;
type Cell = CompleteLink[Column];
export type Inserted = Pick<Stored, 'id' | 'domain_id' | 'suffix' | 'qr_marker'>;

/** What was inserted, in the order of the rows; null where the suffix is taken on its domain. */
export async function insertLinks(
  queries: Queries,
  rows: readonly CompleteLink[],
): Promise<(Inserted | null)[]> {
  const { winners, outcome } = contest(rows);
  const { insertion, json, values } = insertionFor(winners, 'any');
  return outcome(await insertion(queries, json, ...values));
}

/** The insertion of links on one domain as a statement. What it returns is for `outcome`. */
export function guardedInsertion(queries: Queries, rows: readonly CompleteLink[]) {
  const { winners, outcome } = contest(rows);
  const { insertion, json, values } = insertionFor(winners, 'free');
  return { statement: insertion.filled(queries, json, ...values), outcome };
}

/** Of two rows with the same domain and suffix, the first is inserted; the database decides which one that is. */
function contest(rows: readonly CompleteLink[]) {
  const keys = rows.map(placeKey);
  const first = new Map<string, number>();
  for (const [index, key] of keys.entries()) if (!first.has(key)) first.set(key, index);
  return {
    winners: rows.filter((_, index) => first.get(keys[index] ?? '') === index),
    outcome(inserted: readonly Inserted[]): (Inserted | null)[] {
      const byPlace = new Map(inserted.map((row) => [placeKey(row), row]));
      return keys.map((key, index) => (first.get(key) === index ? (byPlace.get(key) ?? null) : null));
    },
  };
}

/**
 * `any`: wherever no link stands. `free`: nor where a deleted one keeps its suffix, nor on a domain that is not verified
 * any more; all of them are on one domain.
 */
type Places = 'any' | 'free';

/**
 * Most links of one call differ in little: what is the same in all of them is sent once, and what none has not at
 * all.
 */
function insertionFor(rows: readonly CompleteLink[], places: Places) {
  const [model] = rows;
  const own = names.filter((name) => name === 'suffix' || rows.some((row) => row[name] !== model?.[name]));
  const shared = names.filter(
    (name) => !own.includes(name) && (name === 'qr_marker' || model?.[name] !== null),
  );
  return {
    insertion: insertionOf(shared, own, places),
    json: JSON.stringify(rows.map((row) => own.map((name) => row[name]))),
    values: shared.map((name) => model?.[name] ?? null),
  };
}

type Insertion = Prepared<[json: string, ...shared: Cell[]], Inserted>;

/** Programs send links of a few kinds. A client that sends all possible kinds doesn't fill the memory with them. */
const maxKept = 100;
const kept = new Map<string, Insertion>();

/** The statement for links that have these columns, some of them in common. */
function insertionOf(shared: readonly Column[], own: readonly Column[], places: Places): Insertion {
  const key = `${places}|${shared.join()}|${own.join()}`;
  const known = kept.get(key);
  if (known) return known;
  if (kept.size >= maxKept) kept.clear();
  const made: Insertion = prepared(
    (queries, json, ...values) =>
      insertOf(dialectOf(queries), { shared, own, places }, json, values).compile(queries),
    1 + shared.length,
  );
  kept.set(key, made);
  return made;
}

function insertOf(
  dialect: Dialect,
  { shared, own, places }: { shared: readonly Column[]; own: readonly Column[]; places: Places },
  json: string,
  values: readonly Cell[],
): RawBuilder<Inserted> {
  const sent = names.filter((name) => shared.includes(name) || own.includes(name));
  const table = jsonRows(dialect, Object.fromEntries(own.map((name) => [name, linkColumns[name]])), json);
  const cell = (name: Column): RawBuilder<unknown> =>
    shared.includes(name)
      ? sql`cast(${values[shared.indexOf(name)]} as ${sql.raw(types[linkColumns[name]])})`
      : sql.raw(`sent.${name}`);
  const value = (name: Column): RawBuilder<unknown> =>
    name === 'qr_marker'
      ? sql`coalesce(${cell(name)}, (select qr_marker from organizations where organizations.id = ${cell('organization_id')}))`
      : cell(name);
  const isFree = sql`
    not exists (select 1 from link_bin where domain_id = ${cell('domain_id')} and suffix = sent.suffix) and
    (${cell('domain_id')} = ${sql.raw(String(defaultDomainId))} or exists (
      select 1 from domains where id = ${cell('domain_id')} and verified_at is not null and deleted_at is null))`;
  return sql<Inserted>`
    insert into links (${sql.raw(sent.join(', '))})
    select ${sql.join(sent.map(value))} from ${table} as sent where ${places === 'free' ? isFree : sql`true`}
    on conflict (domain_id, suffix) do nothing
    returning id, domain_id, suffix, qr_marker`;
}

const types: Record<ColumnKind, string> = { integer: 'bigint', text: 'text' };

const placeKey = ({ domain_id, suffix }: Pick<Stored, 'domain_id' | 'suffix'>): string =>
  `${domain_id}\n${suffix}`;

/** Ids for rows that are not inserted in the order in which they count. PostgreSQL alone needs that. */
export async function takeIds(queries: Queries, count: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence('links', 'id')) as id from generate_series(1, ${count})`.execute(
    queries,
  );
  return rows.map(({ id }) => id).sort((one, other) => one - other);
}

/** Takes back what this transaction inserted. */
export async function dropLinks(queries: Queries, ids: readonly number[]): Promise<void> {
  await queries.deleteFrom('links').where('id', 'in', ids).execute();
}
