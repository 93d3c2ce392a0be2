const standard = 4_000;

/**
 * Milliseconds to wait for a connection, opened or given back by others: as `connect_timeout` at the end of the address says, in
 * seconds, as for every client of PostgreSQL.
 */
export function connectTimeout(url: string): number {
  const seconds = new URL(url).searchParams.get('connect_timeout') ?? '';
  return /^\d{1,4}$/.test(seconds) ? Number(seconds) * 1_000 : standard;
}
