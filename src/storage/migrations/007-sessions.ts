import type { Migration } from '../migration.ts';

export const sessions: Migration = ({ integer, tableEnd }) => [
  `create table sessions (
    hash text primary key,
    user_id ${integer} not null references users (id) on delete cascade,
    created_at ${integer} not null,
    renewed_at ${integer} not null,
    expires_at ${integer} not null
  ) ${tableEnd}`,
  'create index sessions_user on sessions (user_id)',
  'create index sessions_expiry on sessions (expires_at)',

  // Invitations are looked up by the address of the signed-in user.
  'create index invitations_address on invitations (email)',
  // 1: the user has verified the address, by the link of an invitation sent there.
  `alter table users add column email_proven ${integer} not null default 0`,
];
