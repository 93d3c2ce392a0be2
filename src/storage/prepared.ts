import type { CompiledQuery } from 'kysely';
import type { Queries } from './schema.ts';

type Value = number | string | null;

/** Stands for a value in a statement that is put together before there is one. */
class Blank {
  readonly place: number;

  constructor(place: number) {
    this.place = place;
  }
}

interface Form<Row> {
  readonly statement: CompiledQuery<Row>;
  /** Which of the values goes where; null where the statement has one of its own. */
  readonly places: readonly (number | null)[];
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
 * From now on prepared statements go to it without the query builder, whose way there takes longer than many an
 * answer.
 */
export function runDirectly(queries: Queries, runner: Runner): void {
  runners.set(queries, runner);
}

/**
 * A statement that calls need again and again: put together once for each kind of database, which takes longer than most
 * answers to it, and from then on only filled in. `build` names its values one by one, uses them as
 * they come, and looks into none; how many they are is counted where `build` takes any number.
 */
export function prepared<Values extends readonly Value[], Row>(
  build: (queries: Queries, ...values: Values) => CompiledQuery<Row>,
  count = build.length - 1,
): Prepared<Values, Row> {
  const forms = new Map<unknown, Form<Row>>();
  const formFor = (queries: Queries): Form<Row> => {
    // A transaction's queries are new each time, and speak as those of its database.
    const language = queries.getExecutor().adapter.constructor;
    const known = forms.get(language);
    if (known) return known;
    const blanks = Array.from({ length: count }, (_, place) => new Blank(place));
    const statement = build(queries, ...(blanks as readonly unknown[] as Values));
    const places = statement.parameters.map((value) => (value instanceof Blank ? value.place : null));
    const form = { statement, places };
    forms.set(language, form);
    return form;
  };
  return async (queries, ...values) => {
    const { statement, places } = formFor(queries);
    const parameters = places.map((place, at) => (place === null ? statement.parameters[at] : values[place]));
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
