import type { Migration } from '../migration.ts';

/** Additional addresses of links, such as their former ones. They are kept while the link is in the bin. */
export const linkAliases: Migration = ({ id, integer, tableEnd }) => [
  `create table link_aliases (
    id ${id},
    domain_id ${integer} not null,
    suffix text not null,
    link_id ${integer} not null,
    organization_id ${integer} not null,
    forward_path ${integer} not null,
    created_at ${integer} not null
  ) ${tableEnd}`,
  'create unique index link_aliases_address on link_aliases (domain_id, suffix)',
  'create index link_aliases_link on link_aliases (link_id, id)',
  'create index link_aliases_forwarding on link_aliases (domain_id) where forward_path = 1',
  ...['links', 'link_bin'].flatMap((table) => [
    `alter table ${table} add column aliases text`,
    `alter table ${table} add column moved ${integer} not null default 0`,
  ]),
];
