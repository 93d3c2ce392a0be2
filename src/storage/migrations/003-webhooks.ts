import type { Migration } from '../migration.ts';

export const webhooks: Migration = ({ id, integer, tableEnd }) => [
  // Comma-separated event names that a link's webhook receives.
  `alter table links add column webhook_events text not null default 'click'`,
  `alter table links add column qr_marker ${integer} not null default 0`,

  `create table webhook_deliveries (
    id ${id},
    created_at ${integer} not null,
    organization_id ${integer} not null,
    link_id ${integer} not null,
    event text not null,
    message_id text not null,
    target_url text not null,
    body text not null,
    signing_key text,
    state text not null,
    tries ${integer} not null,
    first_tried_at ${integer},
    next_try_at ${integer},
    claimed_until ${integer}
  ) ${tableEnd}`,
  'create index webhook_deliveries_due on webhook_deliveries (next_try_at) where next_try_at is not null',
  'create index webhook_deliveries_link on webhook_deliveries (link_id, id)',

  `create table webhook_attempts (
    id ${id},
    delivery_id ${integer} not null references webhook_deliveries (id) on delete cascade,
    at ${integer} not null,
    duration ${integer} not null,
    status ${integer},
    excerpt text,
    problem text
  ) ${tableEnd}`,
  'create index webhook_attempts_delivery on webhook_attempts (delivery_id, id)',
];
