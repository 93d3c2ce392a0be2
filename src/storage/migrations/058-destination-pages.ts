import type { Migration } from '../migration.ts';

/**
 * Titles and icons of destinations, and until when a host is reserved for one node that fetches them. Existing links get none.
 */
export const destinationPages: Migration = ({ integer, tableEnd }) => [
  ...['links', 'link_bin'].flatMap((table) => [
    `alter table ${table} add column page_title text`,
    `alter table ${table} add column page_icon text`,
    `alter table ${table} add column page_due_at ${integer}`,
  ]),
  'create index links_page_due on links (page_due_at) where page_due_at is not null',
  `create table page_icons (
    key text primary key,
    type text not null,
    content text not null,
    fetched_at ${integer} not null
  ) ${tableEnd}`,
  'create index page_icons_fetched on page_icons (fetched_at)',
  `create table page_hosts (host text primary key, free_at ${integer} not null) ${tableEnd}`,
];
