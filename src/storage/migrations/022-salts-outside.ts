import type { Migration } from '../migration.ts';

/**
 * The salts of the days are files from now on (ledger/visitors/salts/). On PostgreSQL the nodes agree on them: `mark` identifies a day's
 * salt without revealing it, and an answer opens with a key that only the requesting node has.
 */
export const saltsOutside: Migration = ({ integer, tableEnd }) => [
  'drop table daily_salts',
  `create table visitor_salt_marks (
    day ${integer} primary key,
    mark text not null,
    proof text not null
  ) ${tableEnd}`,
  `create table visitor_salt_requests (
    public_key text primary key,
    day ${integer} not null,
    proof text not null,
    answer text
  ) ${tableEnd}`,
];
