import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { StoreAway } from '../../rules/errors.ts';
import { type Database, type Lookups, NotUnique } from '../database.ts';
import type { Queries, Schema } from '../schema.ts';
import { ChangeQueue } from './change-queue.ts';
import { connectTimeout } from './connect-timeout.ts';
import { type Lent, PostgresReads } from './postgres-reads.ts';

const bigintType = 20;
const numericType = 1700;
const maxRetries = 8;
const retryable: ReadonlySet<string> = new Set(['40001', '40P01', '23503']);

/** Whole numbers come as texts from the server: here, and only here, they become numbers. */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text') =>
    oid === bigintType || oid === numericType
      ? Number
      : pg.types.getTypeParser(oid, format)) as pg.CustomTypesConfig['getTypeParser'],
};

/** Maximum connections: for reads, for changes, and for each lookup by key. */
const maxConnections = { control: 12, lookups: 4 } as const;

/** Batches of small changes at a time. */
const maxBatches = 2;

export function openPostgresLookups(
  url: string,
  onIdleError: (cause: Error) => void,
): Pick<Lookups, 'queries' | 'close'> {
  const pool = poolOf(url, maxConnections.lookups, onIdleError, { ...limits, ...kept });
  return { queries: queriesOver(pool, onIdleError), close: () => pool.end() };
}

export function openPostgres(url: string, onIdleError: (cause: Error) => void): Database {
  const control = poolOf(url, maxConnections.control, onIdleError);
  const lookups = openPostgresLookups(url, onIdleError);
  const read = queriesOver(control, onIdleError);
  const changes = new ChangeQueue(async (groups) => {
    const settled = await writeWithRetries(read, async (queries) => {
      const made: (() => void)[] = [];
      for (const group of groups) made.push(await group.make(queries));
      return made;
    });
    for (const settle of settled) settle();
  }, maxBatches);
  const reads = new PostgresReads(connectionsOf(control, onIdleError), (processId) =>
    sql`select pg_cancel_backend(${processId})`.execute(lookups.queries),
  );
  return {
    kind: 'postgres',
    read,
    readFor: (terms) =>
      queriesThrough(async () => ({
        query: (text: string, parameters: readonly unknown[]) => reads.run(text, parameters, terms),
        release: () => {},
      })),
    compute: null,
    computeFor: () => null,
    lookup: lookups.queries,
    write: (work) => writeWithRetries(read, work),
    writeTogether: (item, work) => changes.add(item, work),
    async migrate(work) {
      const patient = poolOf(url, 1, onIdleError, noLimits);
      try {
        return await writeWithRetries(queriesOver(patient, onIdleError), work);
      } finally {
        await patient.end();
      }
    },
    async close() {
      await changes.whenIdle;
      reads.close();
      await Promise.all([control.end(), lookups.close()]);
    },
  };
}

/** Shorter than a client of ours is made to wait, so that it hears of it. */
const limits = {
  query_timeout: 8_000,
  statement_timeout: 7_500,
  idle_in_transaction_session_timeout: 15_000,
} as const;
/** Connections that a burst has opened stay for the next: opening one takes four turns, a look-up one. */
const kept = { idleTimeoutMillis: 0 } as const;
const noLimits = { query_timeout: 0, statement_timeout: 0, idle_in_transaction_session_timeout: 0 } as const;

function poolOf(
  url: string,
  maxConnections: number,
  onIdleError: (cause: Error) => void,
  patience: Pick<pg.PoolConfig, keyof typeof limits | keyof typeof kept> = limits,
): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: maxConnections,
    types,
    application_name: 'linnet',
    connectionTimeoutMillis: connectTimeout(url),
    ...patience,
    keepAlive: true,
  });
  pool.on('error', onIdleError);
  return pool;
}

const queriesOver = (pool: pg.Pool, onIdleError: (cause: Error) => void): Queries =>
  queriesThrough(connectionsOf(pool, onIdleError));

const connectionsOf = (pool: pg.Pool, onIdleError: (cause: Error) => void) => async (): Promise<Lent> => {
  try {
    return clientWithFaults(await pool.connect(), onIdleError);
  } catch (cause) {
    throw faultOf(cause);
  }
};

function queriesThrough(connect: () => Promise<Pick<Lent, 'query' | 'release'>>): Queries {
  return new Kysely<Schema>({
    dialect: new PostgresDialect({ pool: { connect, end: async () => {} } as unknown as pg.Pool }),
  });
}

/** The pool's own errors say what happened to the connection; they are classified here, once, for all callers. */
function clientWithFaults(client: pg.PoolClient, onIdleError: (cause: Error) => void): Lent {
  // The pool listens only while it holds the client itself: an error without a listener ends the process.
  client.on('error', onIdleError);
  let isBroken = false;
  let last: Promise<unknown> = Promise.resolve();
  return {
    processId: (client as { processID?: number }).processID,
    query: async (sql: string, parameters: readonly unknown[]) => {
      // What a transaction asks at once goes over its one connection, one after the other.
      const answer = last.then(() => client.query(sql, [...(parameters ?? [])]));
      last = answer.catch(() => {});
      try {
        return await answer;
      } catch (cause) {
        const fault = faultOf(cause);
        isBroken ||= fault instanceof StoreAway;
        throw fault;
      }
    },
    release: (isToBeClosed = false) => {
      client.off('error', onIdleError);
      client.release(isBroken || isToBeClosed);
    },
  };
}

/**
 * Deadlocks (40P01) and serialization failures (40001) are the database asking for another try. So is a row that
 * another transaction took away between our look and our reference to it (23503): the second look finds it gone.
 */
async function writeWithRetries<T>(queries: Queries, work: (queries: Queries) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await queries.transaction().execute(work);
    } catch (cause) {
      const code = (cause as { code?: string }).code ?? '';
      if (!retryable.has(code) || attempt >= maxRetries) throw cause;
      await Bun.sleep(2 ** attempt + Math.random() * 10);
    }
  }
}

/**
 * Classes of SQLSTATE that mean "not now": 08 connection, 53 resources (disk full among them), 57 intervention.
 * No SQLSTATE at all means that the connection itself broke or a deadline passed.
 */
function faultOf(cause: unknown): unknown {
  if (!(cause instanceof Error)) return cause;
  const code = (cause as { code?: string }).code ?? '';
  if (code === '23505') return new NotUnique(cause.message);
  const isSqlState = /^(?=.*\d)[0-9A-Z]{5}$/.test(code);
  if (!isSqlState || /^(08|53|57)/.test(code)) return new StoreAway(cause.message, { cause });
  return cause;
}
