import { rollupClasses } from '../rules/click-fields.ts';
import { linkHourColumns } from './fold-store.ts';
import { unnested } from './sql-fold-store.ts';

/** Programs that know this migration read null as 0. */
export const hoursHaveNullsSince = 64;

/** Few hours have hits of these classes. Null takes no room in a row of PostgreSQL, where a 0 takes eight bytes. */
const sparse: readonly string[] = rollupClasses.filter((name) => name !== 'click');
const given = [...linkHourColumns, 'visitors', 'counts'];
/** The number that is stored as null. */
const none = `$${given.length + 1}::bigint`;
const types = given.map((name) => (name === 'counts' ? 'text' : 'bigint'));

const added = (name: string): string =>
  sparse.includes(name)
    ? `${name} = coalesce(link_hours.${name} + excluded.${name}, link_hours.${name}, excluded.${name})`
    : `${name} = link_hours.${name} + excluded.${name}`;

/**
 * Adds hours of links, given as arrays, and returns those whose counts have had more than `maxLoose` characters appended. The last
 * parameter is `storedAsNull`.
 */
export const addHoursSql = (maxLoose: number): string => `with added as (
    insert into link_hours (${given.join(', ')}, loose)
    select ${given.map((name) => (sparse.includes(name) ? `nullif(${name}, ${none})` : name)).join(', ')}, nullif(0, ${none})
    from ${unnested(types)} as given (${given.join(', ')})
    on conflict (link_id, hour) do update set ${[...rollupClasses, 'visitors'].map(added).join(', ')},
      counts = link_hours.counts || excluded.counts, loose = coalesce(link_hours.loose, 0) + length(excluded.counts)
    returning link_hours.*
  ) select link_id, hour, counts from added where loose > ${maxLoose}`;

/** Programs of the release before would add to a null: beside them 0 is stored, and no hour has this number of hits. */
export const storedAsNull = (isBesideOlder: boolean): number => (isBesideOlder ? -1 : 0);
