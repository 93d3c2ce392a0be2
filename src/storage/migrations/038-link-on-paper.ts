import type { Migration } from '../migration.ts';

/** Links that are in print. */
export const linkOnPaper: Migration = ({ integer }) => [
  ...['links', 'link_bin'].map(
    (table) => `alter table ${table} add column on_paper ${integer} not null default 0`,
  ),
  'create index links_on_paper on links (organization_id, domain_id, id) where on_paper = 1',
];
