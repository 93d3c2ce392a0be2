import type { Migration } from '../migration.ts';

export const ownDomains: Migration = ({ integer }) => [
  `alter table domains add column proof text not null default ''`,
  `alter table domains add column checked_at ${integer}`,
  `alter table domains add column next_check_at ${integer}`,
  `alter table domains add column gone_since ${integer}`,
  `alter table domains add column released_at ${integer}`,
  `alter table domains add column deleted_at ${integer}`,
  `alter table domains add column seen text not null default ''`,
  'alter table domains add column root_url text',
  'alter table domains add column not_found_url text',
  'create unique index domains_claim on domains (organization_id, host) where deleted_at is null',
  'create index domains_due on domains (next_check_at) where next_check_at is not null',
];
