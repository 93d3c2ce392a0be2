import type { Migration } from '../migration.ts';

export const webhookQueue: Migration = ({ integer }) => [
  // What is due is looked for target by target, so that none waits behind another.
  `create index webhook_deliveries_queue on webhook_deliveries (target_url, next_try_at, id)
     where next_try_at is not null`,
  'drop index webhook_deliveries_due',
  'create index webhook_deliveries_age on webhook_deliveries (created_at)',

  // When the link's expiry is to be told, and null once it was.
  `alter table links add column expiry_event_at ${integer}`,
  'update links set expiry_event_at = expires_at',
  'create index links_expiry_event on links (expiry_event_at) where expiry_event_at is not null',

  // Goes up with each subscription of the link's Zap, and stays when it ends: no number means two of them.
  `alter table links add column zapier_hook_id ${integer} not null default 0`,
];
