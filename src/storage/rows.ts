import { type Insertable, type SelectQueryBuilder, sql } from 'kysely';
import type { Queries, Schema } from './schema.ts';

/** Databases limit the values of one statement. */
const rowsPerStatement = 500;

/** Inserts many rows by several statements. */
export async function insertInParts<Row>(
  rows: readonly Row[],
  insertionOf: (part: readonly Row[]) => { execute(): Promise<unknown> },
): Promise<void> {
  for (let start = 0; start < rows.length; start += rowsPerStatement)
    await insertionOf(rows.slice(start, start + rowsPerStatement)).execute();
}

/** Inserts a row and returns its id. */
export async function insertRow<
  Table extends 'organizations' | 'password_resets' | 'token_families' | 'webhook_deliveries',
>(queries: Queries, table: Table, row: Insertable<Schema[Table]>): Promise<number> {
  const insertion = queries.insertInto(table).values(row).returning(sql<number>`id`.as('id'));
  return (await insertion.executeTakeFirstOrThrow()).id;
}

/** Whether a query finds a row, or a change returns one. */
export const hasRow = async (query: { executeTakeFirst(): Promise<unknown> }): Promise<boolean> =>
  (await query.executeTakeFirst()) !== undefined;

/** Reads no more of an index than `max` entries. */
export const hasMoreThan = <Table extends keyof Schema>(
  query: SelectQueryBuilder<Schema, Table, unknown>,
  max: number,
): Promise<boolean> => hasRow(query.select(sql`1`.as('one')).limit(1).offset(max));

export const idsOf = (rows: readonly { readonly id: number }[]): number[] => rows.map(({ id }) => id);

/** Deletes a row of an organization by its id; false if there is none. */
export const deletionFrom =
  (table: 'invitations' | 'tags' | 'utm_templates') =>
  (queries: Queries, organizationId: number, id: number): Promise<boolean> =>
    hasRow(
      queries
        .deleteFrom(table)
        .where('organization_id', '=', organizationId)
        .where('id', '=', id)
        .returning('id'),
    );

/** Deletes the rows of a table that a query finds, by their keys; returns how many. */
export async function deleteFound<Table extends keyof Schema>(
  queries: Queries,
  table: Table,
  key: readonly (string & keyof Schema[Table])[],
  found: SelectQueryBuilder<Schema, Table, object>,
): Promise<number> {
  const columns = key.map((name) => sql.ref(name));
  const keys = found.select(key.map((name) => sql.ref(name).as(name)));
  const { rows } = await sql`
    delete from ${sql.table(table)} where (${sql.join(columns)}) in ${keys} returning 1`.execute(queries);
  return rows.length;
}

export async function countRows<Table extends keyof Schema>(
  query: SelectQueryBuilder<Schema, Table, unknown>,
): Promise<number> {
  return (await query.select(sql<number>`count(*)`.as('count')).executeTakeFirstOrThrow()).count;
}

/** The sum of a column; 0 if there is no row. */
export async function sumOf<Table extends keyof Schema>(
  query: SelectQueryBuilder<Schema, Table, unknown>,
  column: string & keyof Schema[Table],
): Promise<number> {
  const sum = sql<number>`coalesce(sum(${sql.ref(column)}), 0)`;
  return (await query.select(sum.as('sum')).executeTakeFirstOrThrow()).sum;
}

/** Cuts rows, of which one more was read than a page has, to the page. `last`: its last row if more follow, otherwise null. */
export function pageOf<Row>(found: readonly Row[], limit: number) {
  const rows = found.slice(0, limit);
  return { rows, last: found.length > limit ? (rows.at(-1) ?? null) : null };
}
