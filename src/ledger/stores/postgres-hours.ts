import { rollupClasses } from '../../rules/click-fields.ts';
import { linkHourColumns } from '../fold-store.ts';
import { unnested } from './sql-fold-store.ts';

/** Versions that have this migration read null as 0. */
export const hoursHaveNullsSince = 64;

/** Few hours have hits of these classes. In a row of PostgreSQL a null takes no space, and a 0 takes eight bytes. */
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
 * Adds to the hours of links, given as arrays, and returns those with more than `maxLoose` characters appended to their counts, and
 * at least as many as they had before: merging all of them each time would cost more than appending. The last parameter is
 * `storedAsNull`.
 */
export const addHoursSql = (maxLoose: number): string => `with added as (
    insert into link_hours (${given.join(', ')}, loose)
    select ${given.map((name) => (sparse.includes(name) ? `nullif(${name}, ${none})` : name)).join(', ')}, nullif(0, ${none})
    from ${unnested(types)} as given (${given.join(', ')})
    on conflict (link_id, hour) do update set ${[...rollupClasses, 'visitors'].map(added).join(', ')},
      counts = link_hours.counts || excluded.counts, loose = coalesce(link_hours.loose, 0) + length(excluded.counts)
    returning link_hours.*
  ) select link_id as link, hour, counts from added
  where loose > ${maxLoose} and 2 * loose >= length(counts)`;

/** The previous release would add to a null. While its nodes may run, 0 is stored: no hour has -1 hits. */
export const storedAsNull = (hasOlderNodes: boolean): number => (hasOlderNodes ? -1 : 0);
