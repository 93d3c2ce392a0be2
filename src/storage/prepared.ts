import { CompiledQuery } from 'kysely';
import type { Queries } from './schema.ts';
import { settleAll } from './settle-all.ts';

type Value = number | string | null;

interface Form<Row> {
  readonly statement: CompiledQuery<Row>;
  /** For each parameter the index of its value; -1 if the parameter is fixed. */
  readonly indexes: readonly number[];
}

/** SQL with its values. */
export interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

export interface Prepared<Values extends readonly Value[], Row> {
  (queries: Queries, ...values: Values): Promise<Row[]>;
  /** The statement in the SQL of these queries. */
  statement(queries: Queries, ...values: Values): Statement;
}

/** Runs statements on a database whose connections take SQL directly. */
type Runner = (
  sql: string,
  parameters: readonly unknown[],
) => { readonly rows: unknown[] } | Promise<{ readonly rows: unknown[] }>;

const runners = new WeakMap<Queries, Runner>();

/**
 * From now on `runner` runs prepared statements, without the query builder, which takes longer than the database for many of
 * them.
 */
export function runDirectly(queries: Queries, runner: Runner): void {
  runners.set(queries, runner);
}

/** The statements of each call. */
type Collected = (readonly Statement[])[];

const statementsForCommit = new WeakMap<Queries, Collected>();

/** From now on `runWithCommit` adds to these statements, which the transaction sends together with its commit. */
export function collectForCommit(queries: Queries, statements: Collected): void {
  statementsForCommit.set(queries, statements);
}

/**
 * Makes changes whose outcome nothing else in the transaction depends on, each of different rows. They are sent with the commit, on
 * PostgreSQL as one statement: if one of them fails, so does the transaction.
 */
export async function runWithCommit(queries: Queries, statements: readonly Statement[]): Promise<void> {
  if (statements.length === 0) return;
  const last = statementsForCommit.get(queries);
  if (last) last.push(statements);
  else await settleAll(...statements.map((statement) => runNow(queries, statement)));
}

async function runNow(queries: Queries, { sql, parameters }: Statement): Promise<readonly unknown[]> {
  const run = runners.get(queries);
  const { rows } = run
    ? await run(sql, parameters)
    : await queries.executeQuery(CompiledQuery.raw(sql, [...parameters]));
  return rows;
}

/**
 * A statement that is compiled once for each kind of database, because compiling takes longer than running it. `build` passes its
 * values on unchanged, without reading them; `count` is their number, if `build` takes any number.
 */
export function prepared<Values extends readonly Value[], Row>(
  build: (queries: Queries, ...values: Values) => CompiledQuery<Row>,
  count = build.length - 1,
): Prepared<Values, Row> {
  const forms = new Map<unknown, Form<Row>>();
  const formFor = (queries: Queries): Form<Row> => {
    // A transaction's queries are new each time, but use the same SQL as those of its database.
    return forms.getOrInsertComputed(queries.getExecutor().adapter.constructor, () => {
      // In the place of the values, for which they stand.
      const placeholders: readonly unknown[] = Array.from({ length: count }, () => ({}));
      const statement = build(queries, ...(placeholders as Values));
      return {
        statement,
        indexes: statement.parameters.map((parameter) => placeholders.indexOf(parameter)),
      };
    });
  };
  const filled = (queries: Queries, ...values: Values): Statement => {
    const { statement, indexes } = formFor(queries);
    const parameters = indexes.map((index, parameter) =>
      index < 0 ? statement.parameters[parameter] : values[index],
    );
    return { sql: statement.sql, parameters };
  };
  const run = async (queries: Queries, ...values: Values): Promise<Row[]> =>
    (await runNow(queries, filled(queries, ...values))) as Row[];
  return Object.assign(run, { statement: filled });
}

/** The same for a single row. */
export function preparedRow<Values extends readonly Value[], Row>(
  build: (queries: Queries, ...values: Values) => CompiledQuery<Row>,
): (queries: Queries, ...values: Values) => Promise<Row | undefined> {
  const run = prepared(build);
  return async (queries, ...values) => (await run(queries, ...values))[0];
}

/** The same for whether there is a row. */
export function preparedHasRow<Values extends readonly Value[]>(
  build: (queries: Queries, ...values: Values) => CompiledQuery<unknown>,
): (queries: Queries, ...values: Values) => Promise<boolean> {
  const run = prepared(build);
  return async (queries, ...values) => (await run(queries, ...values)).length > 0;
}
