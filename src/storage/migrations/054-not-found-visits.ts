import type { Migration } from '../migration.ts';

/**
 * How often people visited addresses without a link, by domain and day. An empty suffix stands for those that aren't stored
 * separately.
 */
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
