import type { Migration } from '../migration.ts';

export const passwordResets: Migration = ({ id, integer, tableEnd }) => [
  `create table password_resets (
    id ${id},
    created_at ${integer} not null,
    user_id ${integer} not null references users (id) on delete cascade,
    token_hash text not null unique,
    expires_at ${integer} not null
  ) ${tableEnd}`,
  'create index password_resets_user on password_resets (user_id)',
  'create index password_resets_expiry on password_resets (expires_at)',
];
