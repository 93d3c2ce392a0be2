import type { Migration } from '../migration.ts';

/**
 * Retention finds expired hits wherever they are: hits that were counted late, or by a clock that was wrong, are not in the order of
 * their ids. On PostgreSQL it drops whole partitions.
 */
export const hitsByAge: Migration = ({ partitions }) =>
  partitions
    ? []
    : ['create index hits_at on hits (at)', 'create index hit_packs_last_at on hit_packs (last_at)'];
