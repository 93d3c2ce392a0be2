import type { Migration } from '../migration.ts';

/**
 * On PostgreSQL the visitors of a day by the batch, instead of a row for each (`ledger/postgres-visitors.ts`). A row of visitor_days
 * is locked by whoever counts visitors of that day; its edition is another one after visitors were deleted.
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
        // What is as good as random isn't tried to be compressed.
        'alter table visitor_runs alter column visitors set storage external',
      ]
    : [];
