import { serversOf } from '../../rules/database-url.ts';

const defaultTimeout = 4_000;

/**
 * Milliseconds to wait to open a connection, or for a busy one to become free: the address's `connect_timeout`, which is in seconds
 * for all clients of PostgreSQL.
 */
export function connectTimeout(url: string): number {
  const seconds = new URL(serversOf(url)?.[0] ?? url).searchParams.get('connect_timeout') ?? '';
  return /^\d{1,4}$/.test(seconds) ? Number(seconds) * 1_000 : defaultTimeout;
}
