import type { Migration } from '../migration.ts';

/** A queue of webhook deliveries for each organization. Replaces the index `webhook_deliveries_queue`. */
export const webhookQueues: Migration = () => [
  `create index webhook_deliveries_targets on webhook_deliveries (organization_id, target_url, next_try_at, id)
     where next_try_at is not null`,
  `create index webhook_deliveries_next on webhook_deliveries (organization_id, next_try_at)
     where next_try_at is not null`,
];
