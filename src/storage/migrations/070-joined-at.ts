import type { Migration } from '../migration.ts';

/** Since when a user is a member of their organization. Null: since their account exists, as far as is known. */
export const joinedAt: Migration = ({ integer }) => [`alter table users add column joined_at ${integer}`];
