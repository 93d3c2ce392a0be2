import { Kysely, PostgresDialect, sql } from 'kysely';
import type pg from 'pg';
import { defaultPool } from '../../rules/database-url.ts';
import { StoreUnavailable } from '../../rules/errors.ts';
import { withTimeout } from '../../structures/with-timeout.ts';
import { type Database, internalReadTerms, type Lookups, type ReadTerms } from '../database.ts';
import { collectForCommit, runDirectly, type Statement } from '../prepared.ts';
import type { Queries, Schema } from '../schema.ts';
import { settleAll } from '../settle-all.ts';
import { answerTime, readOnlySql, type ServerState, takesChanges } from './find-primary.ts';
import { LookupBatcher } from './lookup-batcher.ts';
import { codeOf, hasOldPlan, isStatementNameMismatch } from './postgres-faults.ts';
import { PostgresJobs } from './postgres-jobs.ts';
import { migrate, runOutsideTransaction } from './postgres-migrate.ts';
import {
  connectionsOf,
  indexCost,
  keepIdle,
  limits,
  lookupLimits,
  noLimits,
  onlyIndexes,
  type PoolServer,
  pipelined,
  poolOf,
} from './postgres-pool.ts';
import { type CheckedOut, PostgresReads } from './postgres-reads.ts';
import { Primary } from './primary.ts';
import { type Settle, WriteBatcher } from './write-batcher.ts';
import { connectionsUntil } from './write-deadline.ts';

const maxRetries = 8;
const retryable: ReadonlySet<string> = new Set(['40001', '40P01', '23503']);

/** The maximum of connections for lookups by key. */
const maxLookups = 4;

/** Concurrent batches of small changes. */
const maxBatches = 2;
/** Milliseconds for a batch. All of its callers wait for it. */
const batchTime = 2_000;
const batchTerms = (): ReadTerms => ({ ...internalReadTerms, changeDeadline: performance.now() + batchTime });

export function openPostgresLookups(
  url: string,
  onIdleError: (cause: Error) => void,
): Pick<Lookups, 'queries' | 'close'> {
  const primary = new Primary(url, (sentence) => onIdleError(new Error(sentence)));
  const lookups = lookupsOver({ url, primary, onIdleError });
  return {
    queries: lookups.queries,
    async close() {
      await primary.close();
      await lookups.close();
    },
  };
}

/** Connections for lookups by key, which are also used to check the server's state. */
function lookupsOver(server: PoolServer) {
  const limits = { ...lookupLimits, ...keepIdle };
  const pool = poolOf(server, maxLookups, limits, onlyIndexes);
  const queries = queriesOver(pool, server);
  const serverState = async (): Promise<ServerState> => {
    const { rows } = await sql<{ transaction_read_only: string }>`${sql.raw(readOnlySql)}`.execute(queries);
    return takesChanges(rows) ? 'writes' : 'reads';
  };
  const away = () => 'away' as const;
  server.primary.watch(() => withTimeout(answerTime, serverState(), away).catch(away));
  return { queries, serverState, close: () => pool.end() };
}

export function openPostgres(
  url: string,
  onIdleError: (cause: Error) => void,
  maxConnections = defaultPool,
): Database {
  const primary = new Primary(url, (sentence) => onIdleError(new Error(sentence)));
  const server = { url, primary, onIdleError };
  const control = poolOf(server, maxConnections, { ...limits, ...pipelined }, indexCost);
  const lookups = lookupsOver(server);
  const batcher = new LookupBatcher(lookups.queries);
  const connect = connectionsOf(control, server);
  const read = queriesThrough(connect);
  const changes = new WriteBatcher((groups) => {
    const terms = batchTerms();
    const makePipelined = groups.length === 1 ? groups[0]?.makePipelined : null;
    if (makePipelined) {
      const queries = queriesThrough(connectionsUntil(connect, terms));
      return writeWithRetries(
        (work) => work(queries),
        async () => [await makePipelined(queries)],
      );
    }
    return writeWithRetries(transactionFor(terms), async (queries) => {
      const settles: Settle[] = [];
      for (const group of groups) settles.push(await group.make(queries));
      return settles;
    });
  }, maxBatches);
  const reads = new PostgresReads(connect, maxConnections);
  const transactionFor = (terms: ReadTerms = internalReadTerms) =>
    inTransaction(terms.changeDeadline === undefined ? connect : connectionsUntil(connect, terms));
  const jobs = new PostgresJobs(primary);
  let refused: string | null = null;
  const requireAllowed = () => {
    if (refused !== null) throw new StoreUnavailable(refused);
  };
  const withoutTimeouts = async <T>(work: (queries: Queries) => Promise<T>): Promise<T> => {
    const pool = poolOf(server, 1, noLimits);
    try {
      return await work(queriesOver(pool, server));
    } finally {
      await pool.end();
    }
  };
  return {
    kind: 'postgres',
    read,
    readFor: ({ changeDeadline = Number.POSITIVE_INFINITY, ...given }) => {
      const left = Math.max(0, changeDeadline - performance.now());
      const terms = {
        ...given,
        deadline: Math.min(given.deadline, changeDeadline),
        timeout: Math.min(given.timeout, left),
      };
      return queriesThrough(async () => ({
        query: (text, parameters, isPrepared) => reads.run(text, parameters, terms, isPrepared),
        release: () => {},
      }));
    },
    compute: (module, input) => jobs.run(module, input),
    computeFor: (terms) => (module, input) => jobs.run(module, input, terms),
    lookup: lookups.queries,
    dataVersion: null,
    lookupBatched: (item, work) => batcher.lookup(item, work),
    takesChanges: async () => (await lookups.serverState()) === 'writes',
    write: async (work, terms) => {
      requireAllowed();
      return writeWithRetries(transactionFor(terms), work);
    },
    writeBatched: async (item, work, terms) => {
      requireAllowed();
      return changes.add(item, work, terms?.changeDeadline);
    },
    migrate: (work, waits) =>
      withoutTimeouts((queries) => migrate({ queries, others: read, waits, write: writeMigration }, work)),
    outsideTransaction: (statement, waits) =>
      withoutTimeouts((queries) => runOutsideTransaction({ queries, others: read, waits }, statement)),
    refuseChanges: (reason) => {
      refused = reason;
    },
    async close() {
      await changes.whenIdle;
      reads.close();
      await primary.close();
      await Promise.all([control.end(), lookups.close(), jobs.close()]);
    },
  };
}

const queriesOver = (pool: pg.Pool, server: PoolServer): Queries =>
  queriesThrough(connectionsOf(pool, server));

/** Prepared statements bypass the query builder, which costs more than sending them. */
function queriesThrough(connect: () => Promise<Pick<CheckedOut, 'query' | 'release'>>): Queries {
  const queries = new Kysely<Schema>({
    dialect: new PostgresDialect({ pool: { connect, end: async () => {} } as unknown as pg.Pool }),
  });
  runDirectly(queries, async (text, parameters) => {
    const connection = await connect();
    try {
      return await connection.query(text, parameters, true);
    } finally {
      connection.release();
    }
  });
  return queries;
}

type Work<T> = (queries: Queries) => Promise<T>;
type Transaction = <T>(work: Work<T>) => Promise<T>;

/** Concurrent queries of a transaction are sent at once; the query builder would wait for each answer. */
const inTransaction =
  (connect: () => Promise<CheckedOut>): Transaction =>
  async (work) => {
    const connection = await connect();
    const last: (readonly Statement[])[] = [];
    /** The commit is sent right after the last statements: if one of them failed, the server rolls back instead. */
    const end = async () => {
      const sent = last
        .splice(0)
        .map(inOneStatement)
        .map(({ sql, parameters }) => connection.query(sql, parameters, true));
      const answers = await settleAll(...sent, connection.query('commit', []));
      return answers.at(-1) as pg.QueryResult;
    };
    const query: CheckedOut['query'] = (text, parameters) =>
      text === 'commit' ? end() : connection.query(text, parameters);
    try {
      return await queriesThrough(async () => ({ query, release: () => {} }))
        .transaction()
        .execute((queries) => {
          runDirectly(queries, (text, parameters) => connection.query(text, parameters, true));
          collectForCommit(queries, last);
          return work(queries);
        });
    } finally {
      connection.release();
    }
  };

/** Changes of different rows as one statement: each that is sent alone costs both sides 20 to 50 µs. */
function inOneStatement(changes: readonly Statement[]): Statement {
  const parameters: unknown[] = [];
  const texts = changes.map((change) => {
    const before = parameters.length;
    parameters.push(...change.parameters);
    return change.sql.replace(/\$(\d+)/g, (_, number) => `$${Number(number) + before}`);
  });
  const last = texts.pop();
  const others = texts.map((text, index) => `change_${index} as (${text})`);
  return { sql: others.length === 0 ? `${last}` : `with ${others.join(', ')} ${last}`, parameters };
}

const writeMigration = <T>(queries: Queries, work: Work<T>): Promise<T> =>
  writeWithRetries((some) => queries.transaction().execute(some), work);

/**
 * Deadlocks (40P01) and serialization failures (40001) ask for a retry. So does a row that another transaction deleted between
 * our check and our reference to it (23503): the next check finds it deleted. And so do plans that a newer node has outdated by
 * changing the tables.
 */
async function writeWithRetries<T>(transaction: Transaction, work: Work<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction(work);
    } catch (cause) {
      const isRetryable = retryable.has(codeOf(cause)) || hasOldPlan(cause) || isStatementNameMismatch(cause);
      if (!isRetryable || attempt >= maxRetries) throw cause;
      await Bun.sleep(2 ** attempt + Math.random() * 10);
    }
  }
}
