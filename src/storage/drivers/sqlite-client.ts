import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type QueryResult,
  type SelectQueryNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { moduleUrl } from '../../bundle/module-urls.ts';
import { StoreUnavailable } from '../../rules/errors.ts';
import { NotUnique } from '../database.ts';
import { runDirectly } from '../prepared.ts';
import type { Queries, Schema } from '../schema.ts';
import { receivedAnswer, type SentAnswer } from './answer-as-json.ts';
import type { Answer } from './sqlite-connection.ts';

/** A connection for Kysely: in this thread (for lookups of microseconds) or in one of its own. */
interface SqliteClient {
  run(sql: string, parameters: readonly unknown[]): Answer | Promise<Answer>;
}

interface Waiting {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (cause: Error) => void;
}

/** A statement on its way to the thread. */
export interface Question extends QuestionBody {
  readonly id: number;
}
interface QuestionBody {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  readonly inside: boolean;
  /** It fails if one of the statements before it in its message did. */
  readonly afterSuccess?: boolean;
  readonly slot?: number;
  readonly job?: JobQuestion | undefined;
}
/** A function to run instead of a statement; its answer is the only row. */
export interface JobQuestion {
  readonly module: string;
  readonly input: unknown;
}

/** Beyond this, calls are refused: an unbounded queue helps no caller. */
const maxWaiting = 1_000;

export class SqliteThread implements SqliteClient {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  /** Statements that share the next message, which costs more than most of them. */
  #outbox: Question[] = [];
  #isDue = false;
  #fatalError: Error | undefined;
  #onClosed: (() => void) | undefined;

  private constructor(worker: Worker) {
    this.#worker = worker;
  }

  /** `states` has the progress of each `read`, by its slot. `onEnded` is called if the thread ends by itself after that. */
  static open(
    file: string,
    mode: 'write' | 'read',
    onEnded: (cause: Error) => void,
    states: Int32Array | null = null,
  ): Promise<SqliteThread> {
    const worker = new Worker(moduleUrl('sqlite-thread'));
    const thread = new SqliteThread(worker);
    return new Promise((resolve, reject) => {
      let hasOpened = false;
      const ended = (reason: string) => {
        if (thread.#fatalError) return;
        const cause = new StoreUnavailable(`the SQLite thread ended: ${reason}`);
        thread.#end(cause);
        if (hasOpened) onEnded(cause);
        else reject(cause);
      };
      worker.onerror = (event) => ended(event.message);
      // It may also end without an error.
      worker.addEventListener('close', () => ended('without an error'));
      worker.onmessage = (event: MessageEvent) => {
        const message = event.data;
        if (message.opened === true) {
          hasOpened = true;
          resolve(thread);
        } else if (message.opened === false) {
          const fault = faultOf(message.problem);
          thread.#end(fault);
          worker.terminate();
          reject(fault);
        } else if (message.closed) thread.#onClosed?.();
        else for (const { id, answer, problem } of message.answers) thread.#settle(id, answer, problem);
      };
      worker.postMessage({ open: { file, mode, states } });
    });
  }

  /** Statements sent in the same tick of the event loop share one message. */
  run(sql: string, parameters: readonly unknown[], inside = false): Promise<Answer> {
    const answer = this.hold(sql, parameters, inside);
    this.#flushSoon();
    return answer;
  }

  /** Ends a transaction, unless one of the statements held before this failed. */
  commit(): Promise<Answer> {
    const answer = this.#enqueue({ sql: 'commit', parameters: [], inside: true, afterSuccess: true }, false);
    this.#flushSoon();
    return answer;
  }

  /** A read that can be stopped through its slot in `states`. */
  read(
    { sql, parameters, job }: Pick<QuestionBody, 'sql' | 'parameters' | 'job'>,
    slot: number,
  ): Promise<Answer> {
    const answer = this.#enqueue({ sql, parameters, inside: false, slot, job }, true);
    this.#flushSoon();
    return answer;
  }

  /** Runs a statement right before the next one, in the same message. */
  hold(sql: string, parameters: readonly unknown[], inside = false): Promise<Answer> {
    return this.#enqueue({ sql, parameters, inside }, !inside);
  }

  #enqueue(body: QuestionBody, isBounded: boolean): Promise<Answer> {
    if (this.#fatalError) return Promise.reject(this.#fatalError);
    if (isBounded && this.#waiting.size >= maxWaiting) {
      return Promise.reject(new StoreUnavailable('too many queries are waiting'));
    }
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#outbox.push({ id, ...body });
    });
  }

  #flushSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    queueMicrotask(() => this.#flush());
  }

  #flush(): void {
    this.#isDue = false;
    if (this.#outbox.length > 0) this.#worker.postMessage({ questions: this.#outbox.splice(0) });
  }

  async close(): Promise<void> {
    if (!this.#fatalError) {
      await new Promise<void>((resolve) => {
        this.#onClosed = resolve;
        this.#flush();
        this.#worker.postMessage({ close: true });
      });
    }
    this.#end(new StoreUnavailable('the store is closed'));
    this.#worker.terminate();
  }

  #end(cause: Error): void {
    this.#fatalError ??= cause;
    for (const { reject } of this.#waiting.values()) reject(cause);
    this.#waiting.clear();
  }

  #settle(id: number, answer: SentAnswer, problem: { message: string; code: string } | undefined): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (problem) waiting?.reject(faultOf(problem));
    else waiting?.resolve(receivedAnswer(answer));
  }
}

function faultOf(problem: { message: string; code: string }): Error {
  if (problem.code === 'SQLITE_CONSTRAINT_UNIQUE') return new NotUnique(problem.message);
  if (/^(EMFILE$|SQLITE_(FULL|IOERR|BUSY|READONLY|CANTOPEN|NOTADB))/.test(problem.code))
    return new StoreUnavailable(problem.message);
  return Object.assign(new Error(problem.message), { code: problem.code });
}

/** Without locks of rows: there is one writer, and no other transaction to exclude. */
class QueryCompiler extends SqliteQueryCompiler {
  protected override visitSelectQuery({ endModifiers: _, ...node }: SelectQueryNode): void {
    super.visitSelectQuery(node);
  }
}

/** Kysely on one of our connections. Transactions are begun by `sqlite.ts`, never by Kysely. */
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
    createQueryCompiler: () => new QueryCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
  const queries: Queries = new Kysely<Schema>({ dialect });
  runDirectly(queries, (sql, parameters) => client.run(sql, parameters));
  return queries;
}
