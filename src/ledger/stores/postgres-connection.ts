import pg from 'pg';
import { serversOf } from '../../rules/database-url.ts';
import { StoreUnavailable } from '../../rules/errors.ts';
import { connectTimeout } from '../../storage/drivers/connect-timeout.ts';
import { primaryOf } from '../../storage/drivers/find-primary.ts';
import { numberTypes } from '../../storage/drivers/number-types.ts';
import {
  codeOf,
  hasOldPlan,
  isStatementNameMismatch,
  isUnavailable,
  refusesParameters,
} from '../../storage/drivers/postgres-faults.ts';
import { beginWith } from '../../storage/drivers/postgres-pool.ts';
import { StatementNames } from '../../storage/drivers/statement-names.ts';
import { StoreChanged } from '../fold-store.ts';
import type { Query } from './sql-fold-store.ts';

interface ConnectionSettings {
  readonly name: string;
  /** Milliseconds that a statement may take. */
  readonly timeout: number;
  /** Called for each new connection before it is used. */
  readonly onConnect?: (query: Query) => Promise<void>;
}

/** One connection, opened when needed and closed at the first fault, because its state is unknown then. */
export class PostgresConnection {
  readonly #url: string;
  readonly #settings: ConnectionSettings;
  readonly #limits: {
    readonly statement_timeout: number;
    readonly idle_in_transaction_session_timeout: number;
  };
  readonly #begin: string;
  readonly #names = new StatementNames();
  /** The value of `prepared_statements` in the address: whether statements are named, regardless of any pooler in between. */
  readonly #naming: string | null;
  /** A named statement was lost: there is a pooler that doesn't support them. */
  #hasLostNames = false;
  #isPooler = false;
  #client: pg.Client | null = null;

  constructor(url: string, settings: ConnectionSettings) {
    this.#url = url;
    this.#settings = settings;
    this.#naming = new URL(serversOf(url)?.[0] ?? url).searchParams.get('prepared_statements');
    this.#limits = {
      statement_timeout: settings.timeout - 1_000,
      idle_in_transaction_session_timeout: 30_000,
    };
    this.#begin = beginWith(this.#limits);
  }

  readonly query: Query = async (sql, parameters) => this.#queryOn(await this.#connected())(sql, parameters);

  /** For repeated statements: they are parsed and planned once. */
  readonly namedQuery: Query = async (sql, parameters) =>
    this.#queryOn(await this.#connected(), true)(sql, parameters);

  /** Everything uses one connection: on a second one, half of it would be outside the transaction. */
  async transaction<T>(work: (query: Query) => Promise<T>, isNamed = false): Promise<T> {
    const client = await this.#connected();
    const query = this.#queryOn(client);
    await query(this.#begin);
    try {
      const result = await work(this.#queryOn(client, isNamed));
      await query('commit');
      return result;
    } catch (cause) {
      // Not if the connection is what failed; what failed may also be the server with the hits.
      if (this.#client === client) await query('rollback').catch(() => {});
      throw cause;
    }
  }

  async close(): Promise<void> {
    const client = this.#client;
    this.#client = null;
    await client?.end().catch(() => {});
  }

  get #namesStatements(): boolean {
    if (this.#naming === 'on') return true;
    return this.#naming !== 'off' && !this.#isPooler && !this.#hasLostNames;
  }

  #queryOn(client: pg.Client, isNamed = false): Query {
    return async (sql, parameters = []) => {
      const named = isNamed && this.#namesStatements ? this.#names.of(sql) : { text: sql };
      try {
        return (await client.query({ ...named, values: [...parameters] })).rows;
      } catch (cause) {
        const fault = this.#isOfName(cause, named.name)
          ? new StoreUnavailable(String(cause), { cause })
          : faultOf(cause);
        if (fault instanceof StoreUnavailable) this.#discard(client);
        throw fault;
      }
    };
  }

  /** Whether the failure concerns the statement's name, so that a new connection works, with another name or without names. */
  #isOfName(cause: unknown, name: string | undefined): boolean {
    if (name === undefined) return false;
    if (hasOldPlan(cause)) this.#names.renew(name);
    else if (isStatementNameMismatch(cause)) this.#hasLostNames = true;
    else return false;
    return true;
  }

  async #connected(): Promise<pg.Client> {
    try {
      this.#client ??= await this.#connect();
      return this.#client;
    } catch (cause) {
      throw faultOf(cause);
    }
  }

  async #connect(): Promise<pg.Client> {
    const { name, timeout } = this.#settings;
    const client = new pg.Client({
      ...(this.#isPooler ? {} : this.#limits),
      connectionString: await primaryOf(this.#url),
      types: numberTypes,
      application_name: name,
      connectionTimeoutMillis: connectTimeout(this.#url),
      query_timeout: timeout,
      keepAlive: true,
    });
    client.on('error', () => {
      if (this.#client === client) this.#client = null;
    });
    try {
      await client.connect();
    } catch (cause) {
      if (this.#isPooler || !refusesParameters(cause)) throw cause;
      this.#isPooler = true;
      return this.#connect();
    }
    try {
      await this.#settings.onConnect?.(this.#queryOn(client));
    } catch (cause) {
      this.#discard(client);
      throw cause;
    }
    return client;
  }

  #discard(client: pg.Client): void {
    if (this.#client === client) this.#client = null;
    client.end().catch(() => {});
  }
}

/** Deadlocks and serialization failures (40) are retried as well: the whole batch, from its beginning. */
function faultOf(cause: unknown): unknown {
  if (!(cause instanceof Error) || cause instanceof StoreUnavailable || cause instanceof StoreChanged)
    return cause;
  return isUnavailable(cause) || codeOf(cause).startsWith('40')
    ? new StoreUnavailable(cause.message, { cause })
    : cause;
}
