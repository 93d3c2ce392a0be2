import type { Queries } from './schema.ts';

export const expiringTables = [
  'access_tokens',
  'refresh_tokens',
  'sessions',
  'password_resets',
  'used_challenges',
  'invitations',
] as const;

export async function deleteExpired(
  queries: Queries,
  table: (typeof expiringTables)[number],
  now: number,
): Promise<void> {
  await queries.deleteFrom(table).where('expires_at', '<=', now).execute();
}
