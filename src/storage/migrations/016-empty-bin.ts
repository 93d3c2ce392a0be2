import type { Migration } from '../migration.ts';

/**
 * An organization may reuse its deleted links' suffixes, so that several links may have had one; and it may empty its bin: what
 * is left then reserves the suffix against other organizations, and is in no list.
 */
export const emptyBin: Migration = ({ integer }) => [
  `alter table link_bin add column emptied_at ${integer}`,
  'drop index link_bin_suffix',
  'create index link_bin_suffix on link_bin (domain_id, suffix)',
  'drop index link_bin_of_organization',
  `create index link_bin_of_organization on link_bin (organization_id, deleted_at, id, domain_id)
    where emptied_at is null`,
];
