import type { Migration } from '../migration.ts';

/**
 * On PostgreSQL a pack says from which link to which its hits are, in place of a row of `hit_pack_links` for each of them. That
 * table goes a release later.
 */
export const linksOfPacks: Migration = ({ partitions, integer }) =>
  partitions
    ? [
        `alter table hit_packs add column first_link ${integer}`,
        `alter table hit_packs add column last_link ${integer}`,
      ]
    : [];
