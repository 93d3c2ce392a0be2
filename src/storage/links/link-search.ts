import { type RawBuilder, sql } from 'kysely';
import { enteredSuffix } from '../../rules/suffix.ts';
import { foldCase } from '../../rules/text.ts';
import { type Dialect, keyLength, type SearchKeys } from '../dialect.ts';
import { defaultDomainId } from '../schema.ts';

/** What to search for, and how far. */
export interface SearchedText {
  readonly text: string;
  /**
   * `all`: every link that contains it. `bounded`: of the newest links those that contain it, and of all links
   * those whose name, suffix or destination begins with it, or that have it as an alias; the cost has a bound, however many links
   * there are.
   */
  readonly reach: 'all' | 'bounded';
}

/** How many of the newest links are searched. */
const newestSearched = 10_000;
/** How many links are found by each of their beginnings. */
const maxByKey = 5_000;

/** The condition that a link contains the text, within reach of the search. */
export function holds(
  dialect: Dialect,
  organizationId: number,
  { text, reach }: SearchedText,
): RawBuilder<boolean> {
  const folded = foldCase(text);
  // LIKE would take a second for a few thousand long addresses that nearly match everywhere.
  const found = dialect.contains(sql`links.search_text`, folded);
  const anywhere = sql<boolean>`${dialect.keepGoing('links.id')} and ${found}`;
  if (reach === 'all') return anywhere;
  const newest = sql`select id from (
      select id, search_text from links where organization_id = ${organizationId} order by id desc limit ${sql.lit(newestSearched)}
    ) as links where ${anywhere}`;
  const begins = beginnings(folded).map(
    ([key, beginning]) =>
      sql`select id from (${withBeginning(dialect, organizationId, key, beginning, anywhere)}) as found`,
  );
  const parts = [newest, ...begins, withAlias(organizationId, text)];
  return sql<boolean>`links.id in (${sql.join(parts, sql` union `)})`;
}

/** As it is written, or in lower case. The index of addresses isn't per organization, so it can't be searched by prefix. */
function withAlias(organizationId: number, text: string): RawBuilder<unknown> {
  const suffix = enteredSuffix(text);
  const domains = sql`select id from domains where organization_id = ${organizationId} union all select ${sql.lit(defaultDomainId)}`;
  return sql`select link_id from link_aliases where domain_id in (${domains})
    and suffix in (${suffix}, ${suffix.toLowerCase()}) and organization_id = ${organizationId}`;
}

/** A destination is found by its address with or without a scheme, and by its host with or without "www.". */
function beginnings(folded: string): [keyof SearchKeys, string][] {
  const address = folded.replace(/^https?:\/\//, '');
  const found: [keyof SearchKeys, string][] = [];
  if (address === folded) found.push(['name', folded], ['suffix', folded], ['destination', `www.${folded}`]);
  if (address !== '') found.push(['destination', address]);
  return found;
}

function withBeginning(
  { searchKeys, textOrder }: Dialect,
  organizationId: number,
  key: keyof SearchKeys,
  beginning: string,
  anywhere: RawBuilder<boolean>,
): RawBuilder<unknown> {
  const characters = [...beginning];
  const kept = characters.slice(0, keyLength).join('');
  const column = sql.raw(`(${searchKeys[key]}) ${textOrder}`);
  // Longer than the key: matches of the index have to be verified.
  const rest = characters.length > keyLength ? sql` and ${anywhere}` : sql``;
  const named = key === 'name' ? sql` and name is not null` : sql``;
  return sql`select id from links where organization_id = ${organizationId}${named}
    and ${column} >= ${kept} and ${column} < ${`${kept}\u{10ffff}`}${rest}
    order by ${column} limit ${sql.lit(maxByKey)}`;
}
