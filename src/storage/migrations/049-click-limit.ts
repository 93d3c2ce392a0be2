import type { Migration } from '../migration.ts';

/** After how many clicks links end, and how many of these are used. */
export const clickLimit: Migration = ({ integer }) =>
  ['links', 'link_bin'].flatMap((table) => [
    `alter table ${table} add column click_limit ${integer}`,
    `alter table ${table} add column clicks_spent ${integer} not null default 0`,
  ]);
