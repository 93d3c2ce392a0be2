import type { Migration } from '../migration.ts';

/** The changes of each link, and who made them. Its creator is stored in the link: creating a link writes no further row. */
export const linkHistory: Migration = ({ id, integer, tableEnd }) => [
  ...['links', 'link_bin'].flatMap((table) => [
    `alter table ${table} add column created_by ${integer}`,
    `alter table ${table} add column created_key ${integer}`,
    `alter table ${table} add column created_via text`,
  ]),
  `create table link_history (
    id ${id},
    link_id ${integer} not null,
    organization_id ${integer} not null,
    at ${integer} not null,
    user_id ${integer},
    key_id ${integer},
    via text not null,
    action text not null,
    back_to ${integer},
    changes text not null
  ) ${tableEnd}`,
  'create index link_history_link on link_history (link_id, id)',
];
