import { type RawBuilder, type Selectable, sql } from 'kysely';
import { type Dialect, dialectOf } from './dialect.ts';
import { type ColumnKind, jsonRows } from './json-rows.ts';
import { addressKey } from './link-addresses.ts';
import { linkColumns } from './link-columns.ts';
import { type Prepared, prepared } from './prepared.ts';
import type { Queries, Schema } from './schema.ts';

type Stored = Selectable<Schema['links']>;

/** A row with all columns. An `id` that is null is given by the database, and a `qr_marker` that is null by the organization. */
export interface CompleteLink extends Omit<Stored, 'id' | 'qr_marker'> {
  readonly id: number | null;
  readonly qr_marker: number | null;
}

const names = Object.keys(linkColumns) as Column[];

type Column = keyof CompleteLink;
type Cell = CompleteLink[Column];
export type Inserted = Pick<Stored, 'id' | 'domain_id' | 'suffix' | 'qr_marker'>;

/**
 * What was inserted, in the order of the rows; null where the suffix is taken on its domain, or the external id in its organization. Of two rows with the same
 * domain and suffix, the first is inserted.
 */
export async function insertLinks(
  queries: Queries,
  rows: readonly CompleteLink[],
): Promise<(Inserted | null)[]> {
  const keys = rows.map(addressKey);
  const first = new Map<string, number>();
  for (const [index, key] of keys.entries()) if (!first.has(key)) first.set(key, index);
  const { insertion, json, values } = insertionFor(
    rows.filter((_, index) => first.get(keys[index] ?? '') === index),
  );
  const inserted = new Map((await insertion(queries, json, ...values)).map((row) => [addressKey(row), row]));
  return keys.map((key, index) => (first.get(key) === index ? (inserted.get(key) ?? null) : null));
}

/** Links of one call differ in few columns: a value that all have in common is sent once, and one that none has not at all. */
function insertionFor(rows: readonly CompleteLink[]) {
  const [model] = rows;
  const own = names.filter((name) => name === 'suffix' || rows.some((row) => row[name] !== model?.[name]));
  const shared = names.filter(
    (name) => !own.includes(name) && (name === 'qr_marker' || model?.[name] !== null),
  );
  return {
    insertion: insertionOf(shared, own),
    json: JSON.stringify(rows.map((row) => own.map((name) => row[name]))),
    values: shared.map((name) => model?.[name] ?? null),
  };
}

type Insertion = Prepared<[json: string, ...shared: Cell[]], Inserted>;

/** Clients send links of a few kinds. The bound keeps one that sends all possible kinds from filling the memory. */
const maxInsertions = 100;
const insertions = new Map<string, Insertion>();

/** The statement for links that have these columns, some of them in common. */
function insertionOf(shared: readonly Column[], own: readonly Column[]): Insertion {
  const key = `${shared.join()}|${own.join()}`;
  const cached = insertions.get(key);
  if (cached) return cached;
  if (insertions.size >= maxInsertions) insertions.clear();
  const made: Insertion = prepared(
    (queries, json, ...values) =>
      insertOf(dialectOf(queries), { shared, own }, json, values).compile(queries),
    1 + shared.length,
  );
  insertions.set(key, made);
  return made;
}

function insertOf(
  dialect: Dialect,
  { shared, own }: { shared: readonly Column[]; own: readonly Column[] },
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
  return sql<Inserted>`
    insert into links (${sql.raw(sent.join(', '))})
    select ${sql.join(sent.map(value))} from ${table} as sent where true
    on conflict ${sql.raw(sent.includes('external_id') ? '' : '(domain_id, suffix)')} do nothing
    returning id, domain_id, suffix, qr_marker`;
}

const types: Record<ColumnKind, string> = { integer: 'bigint', text: 'text' };

/** Ids for rows that are inserted in another order than their call has them. Only PostgreSQL needs that. */
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
