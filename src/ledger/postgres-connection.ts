import pg from 'pg';
import { StoreAway } from '../rules/errors.ts';
import { connectTimeout } from '../storage/drivers/connect-timeout.ts';
import type { Query } from './sql-fold-store.ts';

export interface ConnectionSettings {
  readonly name: string;
  /** Milliseconds that a statement may take. */
  readonly patience: number;
}

/** One connection, opened when it is needed and closed at the first fault, after which its state is unknown. */
export class PostgresConnection {
  readonly #url: string;
  readonly #settings: ConnectionSettings;
  #client: pg.Client | null = null;

  constructor(url: string, settings: ConnectionSettings) {
    this.#url = url;
    this.#settings = settings;
  }

  readonly query: Query = async (sql, parameters) => this.#over(await this.#connected())(sql, parameters);

  /** Everything goes through one connection: on a second one, half of it would be outside of the transaction. */
  async transaction<T>(work: (query: Query) => Promise<T>): Promise<T> {
    const query = this.#over(await this.#connected());
    await query('begin');
    try {
      const result = await work(query);
      await query('commit');
      return result;
    } catch (cause) {
      if (!(cause instanceof StoreAway)) await query('rollback').catch(() => {});
      throw cause;
    }
  }

  async close(): Promise<void> {
    const client = this.#client;
    this.#client = null;
    await client?.end().catch(() => {});
  }

  #over(client: pg.Client): Query {
    return async (sql, parameters = []) => {
      try {
        return (await client.query(sql, [...parameters])).rows;
      } catch (cause) {
        const fault = faultOf(cause);
        if (fault instanceof StoreAway) this.#giveUp(client);
        throw fault;
      }
    };
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
    const { name, patience } = this.#settings;
    const client = new pg.Client({
      connectionString: this.#url,
      application_name: name,
      connectionTimeoutMillis: connectTimeout(this.#url),
      query_timeout: patience,
      statement_timeout: patience - 1_000,
      idle_in_transaction_session_timeout: 30_000,
      keepAlive: true,
    });
    client.on('error', () => {
      if (this.#client === client) this.#client = null;
    });
    await client.connect();
    return client;
  }

  #giveUp(client: pg.Client): void {
    if (this.#client === client) this.#client = null;
    client.end().catch(() => {});
  }
}

/** Deadlocks and serialization failures (40) ask for another try as well: the whole batch, from its beginning. */
function faultOf(cause: unknown): unknown {
  if (!(cause instanceof Error) || cause instanceof StoreAway) return cause;
  const code = (cause as { code?: string }).code ?? '';
  const isSqlState = /^(?=.*\d)[0-9A-Z]{5}$/.test(code);
  return !isSqlState || /^(08|40|53|57)/.test(code) ? new StoreAway(cause.message, { cause }) : cause;
}
