import type { Migration } from '../migration.ts';

/** A link's failed deliveries are counted repeatedly while its page is open. */
export const failedDeliveries: Migration = () => [
  "create index webhook_deliveries_link_failed on webhook_deliveries (link_id, id) where state = 'failed'",
];
