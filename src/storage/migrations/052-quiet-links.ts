import type { Migration } from '../migration.ts';

/** Links of whose visitors only the number is recorded. */
export const quietLinks: Migration = ({ integer }) =>
  ['links', 'link_bin'].map(
    (table) => `alter table ${table} add column statistics ${integer} not null default 1`,
  );
