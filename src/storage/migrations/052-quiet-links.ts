import type { Migration } from '../migration.ts';

/** Links that record only their click count. */
export const quietLinks: Migration = ({ integer }) =>
  ['links', 'link_bin'].map(
    (table) => `alter table ${table} add column statistics ${integer} not null default 1`,
  );
