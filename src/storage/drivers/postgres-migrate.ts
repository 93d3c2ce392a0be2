import { sql } from 'kysely';
import type { LockHolder, OnLockWait } from '../database.ts';
import type { Queries } from '../schema.ts';
import { codeOf } from './postgres-faults.ts';

/**
 * All statements on a table queue behind a change that waits for its lock. A visitor's lookup times out after two seconds: this
 * leaves time for a change that locks several tables.
 */
const lockTimeout = '500ms';
const lockNotAvailable = '55P03';

/** Milliseconds between two attempts. */
const [firstPause, maxPause] = [250, 2_000];
/** Milliseconds until a wait is reported, and then between reports. The first comes before the lock is given up. */
const [firstCheck, nextCheck] = [250, 5_000];

type Write = <T>(queries: Queries, work: (queries: Queries) => Promise<T>) => Promise<T>;

interface MigrationConnections {
  /** On one connection, without timeouts. */
  readonly queries: Queries;
  /** On other connections. */
  readonly others: Queries;
  readonly waits: OnLockWait | undefined;
}

/** Runs `work` in a transaction, repeatedly until it gets its locks. */
export async function migrate<T>(
  { queries, others, waits, write }: MigrationConnections & { readonly write: Write },
  work: (queries: Queries) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write(queries, async (transaction) => {
        // An index build waits for every other transaction that keeps a snapshot; this one may be waiting for that build.
        await sql`set transaction isolation level read committed`.execute(transaction);
        await sql`set local lock_timeout = ${sql.lit(lockTimeout)}`.execute(transaction);
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(transaction);
        return withWaitReports({ others, waits }, sql`${rows[0]?.pid ?? 0}::integer`, () =>
          work(transaction),
        );
      });
    } catch (cause) {
      if (codeOf(cause) !== lockNotAvailable) throw cause;
      await Bun.sleep(Math.min(maxPause, firstPause * attempt) * (0.5 + Math.random()));
    }
  }
}

/**
 * Runs one statement that waits for others but blocks none, such as `create index concurrently`. A pooler may run it on any
 * connection: its process id is looked up on the server.
 */
export const runOutsideTransaction = (
  { queries, ...rest }: MigrationConnections,
  statement: string,
): Promise<void> =>
  withWaitReports(
    rest,
    sql`(select pid from pg_stat_activity
      where pid <> pg_backend_pid() and state = 'active' and starts_with(query, ${statement.slice(0, 60)}) limit 1)`,
    async () => void (await sql.raw(statement).execute(queries)),
  );

/** Reports which sessions hold the locks that another session waits for, while `work` runs. */
async function withWaitReports<T>(
  { others, waits }: Pick<MigrationConnections, 'others' | 'waits'>,
  pid: ReturnType<typeof sql>,
  work: () => Promise<T>,
): Promise<T> {
  if (waits === undefined) return work();
  const reportHolders = async () => {
    const { rows } = await sql<LockHolder>`
      select pid, application_name as application, state, xact_start::text as since, left(query, 80) as query
      from pg_stat_activity where pid = any(pg_blocking_pids(${pid}))
        -- This query of another process, which only blocks for as long as it runs.
        and query not like '%pg_blocking_pids%'
      order by xact_start limit 5`.execute(others);
    if (rows.length > 0) waits(rows);
  };
  let timer: Timer | undefined;
  const checkIn = (milliseconds: number) => {
    timer = setTimeout(() => {
      reportHolders().catch(() => {});
      checkIn(nextCheck);
    }, milliseconds);
  };
  checkIn(firstCheck);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}
