import type { Migration } from '../migration.ts';

/** When the last member deleted their account: an organization's belongings are deleted part by part, and then its row. */
export const deletedOrganizations: Migration = ({ integer }) => [
  `alter table organizations add column deleted_at ${integer}`,
  'create index organizations_deleted on organizations (deleted_at) where deleted_at is not null',
  'create index webhook_deliveries_organization on webhook_deliveries (organization_id, id)',
];
