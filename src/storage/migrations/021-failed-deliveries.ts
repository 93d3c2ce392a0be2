import type { Migration } from '../migration.ts';

/** A link's failed deliveries are counted again and again while its page is looked at. */
export const failedDeliveries: Migration = () => [
  "create index webhook_deliveries_link_failed on webhook_deliveries (link_id, id) where state = 'failed'",
];
