import type { Migration } from '../migration.ts';

/** The parts of a visited address that are forwarded to the destination, and the status of the redirect. */
export const linkForwarding: Migration = ({ integer }) =>
  ['links', 'link_bin'].flatMap((table) => [
    `alter table ${table} add column forward_query text`,
    `alter table ${table} add column forward_path ${integer} not null default 0`,
    `alter table ${table} add column redirect_status ${integer}`,
  ]);
