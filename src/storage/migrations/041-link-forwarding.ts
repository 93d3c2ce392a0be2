import type { Migration } from '../migration.ts';

/** What of a visitor's address goes on to the destination, and by which status. */
export const linkForwarding: Migration = ({ integer }) =>
  ['links', 'link_bin'].flatMap((table) => [
    `alter table ${table} add column forward_query text`,
    `alter table ${table} add column forward_path ${integer} not null default 0`,
    `alter table ${table} add column redirect_status ${integer}`,
  ]);
