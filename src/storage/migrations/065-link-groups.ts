import type { Migration } from '../migration.ts';

/**
 * On PostgreSQL the links of a chunk by the group (`ledger/chunks/link-groups.ts`), instead of a row of `hit_chunk_links` for each.
 * Existing chunks keep their rows.
 */
export const linkGroups: Migration = ({ partitions, integer }) =>
  partitions
    ? [
        `create table hit_link_groups (
          chunk_id ${integer} not null,
          last_link ${integer} not null,
          first_at ${integer} not null,
          links bytea not null
        ) partition by range (first_at)`,
      ]
    : [];
