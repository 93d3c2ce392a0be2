import type { Migration } from '../migration.ts';

/** The answers to calls with an Idempotency-Key. */
export const idempotencyKeys: Migration = ({ integer, tableEnd }) => [
  `create table idempotency_keys (
    user_id ${integer} not null references users (id) on delete cascade,
    organization_id ${integer} not null,
    key_hash text not null,
    request_hash text not null,
    expires_at ${integer} not null,
    size ${integer} not null,
    status ${integer},
    answer text,
    primary key (user_id, organization_id, key_hash)
  ) ${tableEnd}`,
  'create index idempotency_keys_expiry on idempotency_keys (expires_at)',
  'create index idempotency_keys_size on idempotency_keys (organization_id, size)',
];
