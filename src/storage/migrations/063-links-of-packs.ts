import type { Migration } from '../migration.ts';

/**
 * On PostgreSQL a pack stores the lowest and the highest id of its links, instead of a row of `hit_pack_links` for each link. That
 * table is dropped one release later.
 */
export const linksOfPacks: Migration = ({ partitions, integer }) =>
  partitions
    ? [
        `alter table hit_packs add column first_link ${integer}`,
        `alter table hit_packs add column last_link ${integer}`,
      ]
    : [];
