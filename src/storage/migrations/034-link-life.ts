import type { Migration } from '../migration.ts';

/** Links may be disabled, archived and have notes. */
export const linkLife: Migration = ({ integer }) => [
  ...['links', 'link_bin'].flatMap((table) => [
    `alter table ${table} add column disabled ${integer} not null default 0`,
    `alter table ${table} add column archived ${integer} not null default 0`,
    `alter table ${table} add column notes text`,
  ]),
  // Few links are archived: lists count them, and are unchanged if there are none.
  'create index links_archived on links (organization_id, id, domain_id) where archived = 1',
];
