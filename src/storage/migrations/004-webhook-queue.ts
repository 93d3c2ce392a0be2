import type { Migration } from '../migration.ts';

export const webhookQueue: Migration = ({ integer }) => [
  // Due deliveries are searched target by target, so that none waits for another.
  `create index webhook_deliveries_queue on webhook_deliveries (target_url, next_try_at, id)
     where next_try_at is not null`,
  'drop index webhook_deliveries_due',
  'create index webhook_deliveries_age on webhook_deliveries (created_at)',

  // When the link's expiry is to be told, and null once it was.
  `alter table links add column expiry_event_at ${integer}`,
  'update links set expiry_event_at = expires_at',
  'create index links_expiry_event on links (expiry_event_at) where expiry_event_at is not null',

  // Incremented with each subscription of the link's Zap, and kept when it ends: no two subscriptions share a number.
  `alter table links add column zapier_hook_id ${integer} not null default 0`,
];
