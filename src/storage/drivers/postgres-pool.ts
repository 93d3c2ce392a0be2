import pg from 'pg';
import { StoreUnavailable, TimeoutExceeded } from '../../rules/errors.ts';
import { cancelStatement } from './cancel-request.ts';
import { connectTimeout } from './connect-timeout.ts';
import { ConnectionQueue } from './connection-queue.ts';
import { numberTypes } from './number-types.ts';
import { faultOf, hasOldPlan, isStatementNameMismatch, refusesParameters } from './postgres-faults.ts';
import type { CheckedOut } from './postgres-reads.ts';
import type { Primary } from './primary.ts';
import { StatementNames } from './statement-names.ts';

/** What the pools of a process connect to. */
export interface PoolServer {
  readonly url: string;
  readonly primary: Primary;
  readonly onIdleError: (cause: Error) => void;
}

/** Timeouts of a pool's connections, in milliseconds; 0 for none. */
type Limits = Pick<pg.PoolConfig, keyof typeof limits | keyof typeof keepIdle | keyof typeof pipelined>;

/** A little later than the server's own timeout, in case that fails. */
export const limits = {
  query_timeout: 9_000,
  statement_timeout: 7_500,
  idle_in_transaction_session_timeout: 15_000,
} as const;
/** Lookups by key, for which a visitor or a caller waits. */
export const lookupLimits = { ...limits, query_timeout: 2_500, statement_timeout: 2_000 } as const;
/** Connections that were opened for a burst are kept for the next one: opening one takes four round trips, a lookup one. */
export const keepIdle = { idleTimeoutMillis: 0 } as const;
/** Concurrent queries of a transaction are sent at once: it waits for all of them together. */
export const pipelined = { pipeline: true } as const;
export const noLimits = {
  query_timeout: 0,
  statement_timeout: 0,
  idle_in_transaction_session_timeout: 0,
} as const;

/** `setting`: for its connections. */
export function poolOf(
  { url, primary, onIdleError }: PoolServer,
  maxConnections: number,
  timeouts: Limits = limits,
  setting?: string,
): pg.Pool {
  const pool = new pg.Pool({
    Client: clientOf(primary, timeouts),
    max: maxConnections,
    types: numberTypes,
    application_name: 'linnet',
    connectionTimeoutMillis: connectTimeout(url),
    ...timeouts,
    keepAlive: true,
  });
  pool.on('error', onIdleError);
  // The connections of a pooler are shared with other clients.
  if (setting !== undefined)
    pool.on('connect', (client) => {
      if (!primary.isPooler) client.query(`set ${setting}`).catch(() => {});
    });
  return pool;
}

/**
 * By default, PostgreSQL assumes that reading rows by an index costs four times as much as reading them in order, as on rotating
 * disks: for a few thousand roll-ups it would read the whole table, in three processes.
 */
export const indexCost = 'random_page_cost = 1.1';

/**
 * All lookups by key have an index. A cached plan that scans a whole table, made when that was small, would be used until the
 * table is analyzed.
 */
export const onlyIndexes = 'enable_seqscan = off';

/** Poolers such as PgBouncer refuse connections with these parameters. */
const noStartUpLimits = { statement_timeout: 0, idle_in_transaction_session_timeout: 0 } as const;

/** Begins a transaction with its timeouts: a pooler uses another connection of the server for each transaction. */
export const beginWith = ({
  statement_timeout = 0,
  idle_in_transaction_session_timeout = 0,
}: Pick<Limits, keyof typeof noStartUpLimits>): string =>
  `begin isolation level read committed; set local statement_timeout = ${statement_timeout}; set local idle_in_transaction_session_timeout = ${idle_in_transaction_session_timeout}`;

/** How a connection begins a transaction, and the milliseconds that a statement outside one may take; 0 for no limit. */
const deadlines = new WeakMap<object, { readonly begin: string; readonly limit: number }>();

/**
 * Clients whose last transaction was committed without waiting for a synchronous replica, because the wait was cancelled: it would be lost with
 * the primary. The server reports success, with a notice about it.
 */
const notReplicated = new WeakSet<object>();

/** A client of the pool connects to the current primary. */
const clientOf = (primary: Primary, timeouts: Limits): typeof pg.Client =>
  class extends pg.Client {
    constructor(config?: string | pg.ClientConfig) {
      const given = config as pg.ClientConfig;
      const own = primary.isPooler ? { ...given, ...noStartUpLimits } : given;
      super({ ...own, connectionString: primary.url });
      const markOpened = primary.trackOpening(this, () => streamOf(this)?.destroy());
      this.once('connect', markOpened).once('end', markOpened);
      this.on('notice', ({ routine }) => {
        if (routine === 'SyncRepWaitForLSN') notReplicated.add(this);
      });
      deadlines.set(this, { begin: beginWith(timeouts), limit: timeouts.statement_timeout || 0 });
    }
  };

export function connectionsOf(
  pool: pg.Pool,
  { primary, onIdleError }: PoolServer,
): () => Promise<CheckedOut> {
  const queue = new ConnectionQueue(pool);
  const connect = async (isSecondTry = false): Promise<CheckedOut> => {
    if (primary.found !== null) await primary.found;
    const { generation } = primary;
    try {
      for (;;) {
        const client = await queue.take();
        if (primary.isCurrent(client)) return checkOut(primary, client, onIdleError);
        client.release(true);
      }
    } catch (cause) {
      // Concurrent attempts are all refused, although the first one has already recorded that it is a pooler.
      if (refusesParameters(cause) && !isSecondTry) {
        primary.isPooler = true;
        return connect(true);
      }
      if (primary.generation !== generation) return connect(isSecondTry);
      primary.doubt();
      throw faultOf(cause);
    }
  };
  return () => connect();
}

/** If one of these fails, the state of the connection's transaction is unknown. */
const bounds: ReadonlySet<string> = new Set(['begin', 'commit', 'rollback']);

/** The pool's own errors describe the connection; they are classified here, once, for all callers. */
function checkOut(primary: Primary, client: pg.PoolClient, onIdleError: (cause: Error) => void): CheckedOut {
  // The pool only listens for errors while it holds the client itself: an error without a listener would end the process.
  client.on('error', onIdleError);
  const destroy = () => void streamOf(client)?.destroy();
  const untrack = primary.trackInUse({ destroy });
  const { begin, limit } = deadlines.get(client) ?? { begin: 'begin', limit: 0 };
  let isBroken = false;
  let isInTransaction = false;
  /** A statement of the transaction. */
  let hasFailed = false;
  let last: Promise<unknown> = Promise.resolve();
  const stop = () => {
    // The cancellation may reach the server only now, and must not stop the next statement.
    isBroken = true;
    cancelStatement(client);
  };
  return {
    cancel: () => cancelStatement(client),
    destroy,
    query: async (sql: string, parameters: readonly unknown[], isPrepared = false) => {
      const text = sql === 'begin' ? begin : sql;
      const execute = async () => {
        const query = statement(primary, text, parameters, isPrepared);
        try {
          return await client.query(query);
        } catch (cause) {
          // After a failure the server parses nothing more in a transaction, so it is unknown whether it knows the statement.
          const isLost = query.name !== undefined && isStatementNameMismatch(cause) && !hasFailed;
          hasFailed = isInTransaction;
          if (isLost) primary.hasLostNames = true;
          else if (hasOldPlan(cause)) names.renew(query.name);
          else throw cause;
          // The transaction is lost with it: all of it is retried.
          if (isInTransaction) throw cause;
          return client.query(statement(primary, text, parameters, isPrepared));
        }
      };
      // Concurrent queries of a transaction are answered on its one connection, in order.
      const answer = client.pipeline ? execute() : last.then(execute);
      last = answer.catch(() => {});
      // Outside a transaction, the server has no timeout of ours if there is a pooler.
      const isAlone = !isInTransaction && !bounds.has(sql);
      const stopping = primary.isPooler && limit > 0 && isAlone ? setTimeout(stop, limit) : undefined;
      const { command } = await answer
        .catch((cause) => {
          const fault = faultOf(cause);
          isBroken ||= fault instanceof StoreUnavailable || bounds.has(sql);
          if (fault instanceof TimeoutExceeded) throw new TimeoutExceeded(true, limit);
          if (fault instanceof StoreUnavailable) primary.doubt();
          throw fault;
        })
        .finally(() => clearTimeout(stopping));
      if (bounds.has(sql)) {
        isInTransaction = sql === 'begin';
        hasFailed = false;
      }
      if (notReplicated.delete(client)) throw new TimeoutExceeded(true);
      // If an earlier statement failed and the failure was ignored, the server rolls back and reports only this.
      if (sql === 'commit' && command === 'ROLLBACK')
        throw new Error('a statement of a committed change had failed');
      return answer;
    },
    release: (isToBeClosed = false) => {
      untrack();
      client.off('error', onIdleError);
      client.release(isBroken || isToBeClosed);
    },
  };
}

const names = new StatementNames();

function statement(
  primary: Primary,
  text: string,
  parameters: readonly unknown[] = [],
  isPrepared = false,
): pg.QueryConfig {
  const named = isPrepared && primary.namesStatements ? names.of(text) : { text };
  return { ...named, values: [...parameters] };
}

const streamOf = (client: pg.ClientBase): { destroy(): void } | undefined =>
  (client as { connection?: { stream?: { destroy(): void } } }).connection?.stream;
