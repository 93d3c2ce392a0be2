import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { NotUnique, StoreAway } from '../database.ts';
import type { Queries, Schema } from '../schema.ts';
import { type Answer, SqliteConnection } from './sqlite-connection.ts';

/** A connection as Kysely needs it: in this thread (for look-ups that take microseconds) or in one of its own. */
export interface SqliteClient {
  run(sql: string, parameters: readonly unknown[]): Answer | Promise<Answer>;
  close(): void | Promise<void>;
}

export class SqliteThread implements SqliteClient {
  readonly #worker: Worker;
  readonly #waiting = new Map<
    number,
    { resolve: (answer: Answer) => void; reject: (cause: Error) => void }
  >();
  #lastId = 0;
  #closed: (() => void) | undefined;

  private constructor(worker: Worker) {
    this.#worker = worker;
  }

  static open(file: string, mode: 'write' | 'read'): Promise<SqliteThread> {
    const worker = new Worker(new URL('./sqlite-thread.ts', import.meta.url).href);
    const thread = new SqliteThread(worker);
    return new Promise((resolve, reject) => {
      worker.onerror = (event) => {
        const gone = new StoreAway(`the SQLite thread ended: ${event.message}`);
        for (const { reject } of thread.#waiting.values()) reject(gone);
        thread.#waiting.clear();
        reject(gone);
      };
      worker.onmessage = (event: MessageEvent) => {
        const message = event.data;
        if ('opened' in message) message.opened ? resolve(thread) : reject(faultOf(message.problem));
        else if (message.closed) thread.#closed?.();
        else thread.#settle(message.id, message.answer, message.problem);
      };
      worker.postMessage({ open: { file, mode } });
    });
  }

  run(sql: string, parameters: readonly unknown[]): Promise<Answer> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, sql, parameters });
    });
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#closed = resolve;
      this.#worker.postMessage({ close: true });
    });
    this.#worker.terminate();
  }

  #settle(id: number, answer: Answer, problem: { message: string; code: string } | undefined): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (problem) waiting?.reject(faultOf(problem));
    else waiting?.resolve(answer);
  }
}

export class SqliteInline implements SqliteClient {
  readonly #connection: SqliteConnection;

  constructor(file: string) {
    this.#connection = new SqliteConnection(file, 'read');
  }

  run(sql: string, parameters: readonly unknown[]): Answer {
    return this.#connection.run(sql, parameters);
  }

  close(): void {
    this.#connection.close();
  }
}

function faultOf(problem: { message: string; code: string }): Error {
  if (problem.code === 'SQLITE_CONSTRAINT_UNIQUE') return new NotUnique(problem.message);
  if (/^SQLITE_(FULL|IOERR|BUSY|READONLY|CANTOPEN|NOTADB)/.test(problem.code))
    return new StoreAway(problem.message);
  return Object.assign(new Error(problem.message), { code: problem.code });
}

/** Kysely over one of our connections. Transactions are begun by `sqlite.ts`, never by Kysely. */
export function queriesOver(client: SqliteClient): Queries {
  const connection: DatabaseConnection = {
    async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      const { rows, changes } = await client.run(query.sql, query.parameters);
      return { rows: rows as R[], numAffectedRows: BigInt(changes) };
    },
    streamQuery() {
      throw new Error('not needed: pages are read by key');
    },
  };
  const refuse = async () => {
    throw new Error('transactions go through Database.write');
  };
  const driver: Driver = {
    init: async () => {},
    acquireConnection: async () => connection,
    beginTransaction: refuse,
    commitTransaction: refuse,
    rollbackTransaction: refuse,
    releaseConnection: async () => {},
    destroy: async () => {},
  };
  const dialect: Dialect = {
    createDriver: () => driver,
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
  return new Kysely<Schema>({ dialect });
}
