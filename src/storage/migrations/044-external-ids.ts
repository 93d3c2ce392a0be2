import type { Migration } from '../migration.ts';

/** Links may have an id of their organization's own. */
export const externalIds: Migration = () => [
  ...['links', 'link_bin'].map((table) => `alter table ${table} add column external_id text`),
  'create unique index links_external_id on links (organization_id, external_id) where external_id is not null',
];
