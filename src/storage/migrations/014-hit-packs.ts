import type { Migration } from '../migration.ts';

/**
 * Hits of a busy time by the hundred in one row: a tenth of the space and work of one row for each. PostgreSQL gets them later.
 */
export const hitPacks: Migration = ({ partitions, integer, tableEnd, keyedTableEnd }) =>
  partitions
    ? []
    : [
        `create table hit_packs (
          id ${integer} primary key,
          organization_id ${integer} not null,
          hits ${integer} not null,
          first_at ${integer} not null,
          last_at ${integer} not null,
          cells blob not null
        ) ${tableEnd}`,
        'create index hit_packs_organization on hit_packs (organization_id, id)',

        `create table hit_pack_links (
          link_id ${integer} not null,
          pack_id ${integer} not null,
          primary key (link_id, pack_id)
        ) ${keyedTableEnd}`,
      ];
