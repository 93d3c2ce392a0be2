import type { Migration } from '../migration.ts';

export const webhookOutages: Migration = ({ integer, tableEnd }) => [
  // Failed deliveries are sent again together, by when they were made.
  `create index webhook_deliveries_failed on webhook_deliveries (organization_id, created_at, id)
    where state = 'failed'`,
  // Targets whose last attempt failed, by when the first failed since one succeeded.
  `create table webhook_outages (
    organization_id ${integer} not null,
    target_url text not null,
    since ${integer} not null,
    last_failed_at ${integer} not null,
    told_at ${integer},
    primary key (organization_id, target_url)
  ) ${tableEnd}`,
];
