import type { Migration } from '../migration.ts';

/** An organization's deleted links, newest first, are paged and counted from this index alone. */
export const linkBinOrder: Migration = () => [
  'create index link_bin_of_organization on link_bin (organization_id, deleted_at, id, domain_id)',
];
