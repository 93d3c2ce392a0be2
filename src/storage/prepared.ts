import type { CompiledQuery } from 'kysely';
import type { Queries } from './schema.ts';

type Value = number | string | null;

/** A placeholder for a value, in a statement that is compiled before there is one. */
class Placeholder {
  readonly index: number;

  constructor(index: number) {
    this.index = index;
  }
}

interface Form<Row> {
  readonly statement: CompiledQuery<Row>;
  /** For each parameter the index of its value; null where the statement has one of its own. */
  readonly indexes: readonly (number | null)[];
}

export type Prepared<Values extends readonly Value[], Row> = (
  queries: Queries,
  ...values: Values
) => Promise<Row[]>;

/** Runs statements on a database whose connections take SQL as it is. */
type Runner = (
  sql: string,
  parameters: readonly unknown[],
) => { readonly rows: unknown[] } | Promise<{ readonly rows: unknown[] }>;

const runners = new WeakMap<Queries, Runner>();

/**
 * From now on prepared statements are run by `runner`, without the query builder, which takes longer than the database
 * takes for many of them.
 */
export function runDirectly(queries: Queries, runner: Runner): void {
  runners.set(queries, runner);
}

/**
 * A statement that is compiled once for each kind of database, because compiling takes longer than running it. `build`
 * passes its values on as they are, without looking at them; `count` is how many there are, where `build` takes any number.
 */
export function prepared<Values extends readonly Value[], Row>(
  build: (queries: Queries, ...values: Values) => CompiledQuery<Row>,
  count = build.length - 1,
): Prepared<Values, Row> {
  const forms = new Map<unknown, Form<Row>>();
  const formFor = (queries: Queries): Form<Row> => {
    // A transaction's queries are new each time, and speak as those of its database.
    const language = queries.getExecutor().adapter.constructor;
    const cached = forms.get(language);
    if (cached) return cached;
    const placeholders = Array.from({ length: count }, (_, index) => new Placeholder(index));
    const statement = build(queries, ...(placeholders as readonly unknown[] as Values));
    const indexes = statement.parameters.map((value) => (value instanceof Placeholder ? value.index : null));
    const form = { statement, indexes };
    forms.set(language, form);
    return form;
  };
  return async (queries, ...values) => {
    const { statement, indexes } = formFor(queries);
    const parameters = indexes.map((index, parameter) =>
      index === null ? statement.parameters[parameter] : values[index],
    );
    const run = runners.get(queries);
    if (run) return (await run(statement.sql, parameters)).rows as Row[];
    const { rows } = await queries.executeQuery<Row>({ ...statement, parameters });
    return rows;
  };
}

/** The same where one row is looked for. */
export function preparedRow<Values extends readonly Value[], Row>(
  build: (queries: Queries, ...values: Values) => CompiledQuery<Row>,
): (queries: Queries, ...values: Values) => Promise<Row | undefined> {
  const ask = prepared(build);
  return async (queries, ...values) => (await ask(queries, ...values))[0];
}
