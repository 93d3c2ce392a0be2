import type { Migration } from '../migration.ts';

/**
 * On PostgreSQL the visitors of a day by batch, instead of a row for each (`ledger/stores/postgres-visitors.ts`). Transactions that
 * count visitors of a day lock its row in visitor_days; its edition changes when visitors are deleted.
 */
export const visitorRuns: Migration = ({ partitions, integer }) =>
  partitions
    ? [
        `create table visitor_days (
          day ${integer} primary key,
          newest ${integer} not null,
          edition ${integer} not null,
          is_by_row boolean not null
        )`,
        `create table visitor_runs (
          day ${integer} not null,
          id ${integer} not null,
          visitors bytea not null,
          primary key (day, id)
        )`,
        // Random data isn't worth compressing.
        'alter table visitor_runs alter column visitors set storage external',
      ]
    : [];
