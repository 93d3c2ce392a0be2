import type { Migration } from '../migration.ts';

/** When a link starts, and where visitors are sent before that and after its end. */
export const linkEnds: Migration = ({ integer }) =>
  ['links', 'link_bin'].flatMap((table) => [
    `alter table ${table} add column start_at ${integer}`,
    `alter table ${table} add column before_start_url text`,
    `alter table ${table} add column expired_url text`,
  ]);
