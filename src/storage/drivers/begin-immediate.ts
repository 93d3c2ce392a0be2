import type { Database } from 'bun:sqlite';

/** Milliseconds. */
const timeout = 5_000;
const pauses = [1, 2, 3] as const;

/**
 * Begins a transaction that writes, once no other connection has one. SQLite's own busy handler ends up retrying every tenth of
 * a second: too seldom to find a lock free that the folds and writers of other processes take again after some milliseconds.
 */
export function beginImmediate(database: Database): void {
  database.run('pragma busy_timeout = 0');
  try {
    for (let waited = 0; ; ) {
      try {
        database.run('begin immediate');
        return;
      } catch (cause) {
        if ((cause as { code?: string }).code !== 'SQLITE_BUSY' || waited >= timeout) throw cause;
      }
      // Random, so that connections that wait together don't retry together.
      const pause = pauses[Math.floor(Math.random() * pauses.length)] ?? 1;
      Bun.sleepSync(pause);
      waited += pause;
    }
  } finally {
    database.run(`pragma busy_timeout = ${timeout}`);
  }
}
