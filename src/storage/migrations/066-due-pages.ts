import type { Migration } from '../migration.ts';

/**
 * Links whose destination's page is to be fetched, by host: a queue beside `links`, whose rows are wide and have many indexes.
 * Replaces `links.page_due_at`.
 */
export const duePages: Migration = ({ integer, keyedTableEnd }) => [
  `create table due_pages (
    host text not null,
    link_id ${integer} not null,
    primary key (host, link_id)
  ) ${keyedTableEnd}`,
];
