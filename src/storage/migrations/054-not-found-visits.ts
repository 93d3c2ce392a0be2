import type { Migration } from '../migration.ts';

/** How often people came to addresses that no link has, by domain and day. An empty suffix: to those that aren't kept apart. */
export const notFoundVisits: Migration = ({ integer, keyedTableEnd }) => [
  `create table not_found_visits (
    domain_id ${integer} not null,
    day ${integer} not null,
    suffix text not null,
    visits ${integer} not null,
    primary key (domain_id, day, suffix)
  ) ${keyedTableEnd}`,
  'create index not_found_visits_day on not_found_visits (day)',
];
