import type { LinkForVisitor } from '../rules/link-rules/resolve.ts';
import type { Queries } from './schema.ts';

/** The organization that reads, and how long the caller waits. */
export interface ReadTerms {
  /** Organizations with concurrent reads take turns. */
  readonly organizationId: number;
  /** Once aborted, the read is not started any more, or stopped. */
  readonly signal: AbortSignal | null;
  /** When the caller stops waiting, by `performance.now()`. */
  readonly deadline: number;
  /** Milliseconds that one statement may take, including its wait for a turn. */
  readonly timeout: number;
  /** When a change on a server is given up, including its reads. Changes of SQLite always run to their end. */
  readonly changeDeadline?: number;
}

/** For Linnet's own reads. */
export const internalReadTerms: ReadTerms = {
  organizationId: 0,
  signal: null,
  deadline: Number.POSITIVE_INFINITY,
  timeout: Number.POSITIVE_INFINITY,
};

export type JobParameters = readonly (number | string)[];

type TakeFields = (fields: readonly (Uint8Array | null)[]) => void;

/** A job's access to the data, in a thread of its own. */
export interface JobStore {
  /** Parameters are `$1`, `$2` and so on, in the order in which they first appear. */
  rows<Row>(sql: string, parameters: JobParameters): readonly Row[] | Promise<readonly Row[]>;
  /**
   * The same, synchronously, if the data is in this process: reading it costs no more than requesting it. Null if it is on a
   * server.
   */
  readonly rowsSync: (<Row>(sql: string, parameters: JobParameters) => readonly Row[]) | null;
  /**
   * If the data is on a server: calls `take` for each row with its fields in the server's binary form, which are valid until it
   * returns. The statement has no parameters.
   */
  readonly copy: ((select: string, take: TakeFields) => Promise<void>) | null;
  /** Throws if the job has been stopped. Jobs call it repeatedly. */
  keepGoing(): void;
}

/**
 * Runs the default function of a module in a reading thread, as `(store: JobStore, input) => Promise<answer>`. The module and its
 * imports are loaded there once, and should be small. It awaits nothing but the store.
 */
export type Compute = <Answer>(module: string, input: unknown) => Promise<Answer>;

/** Makes several changes of one kind in a transaction, and returns the outcome of each, in their order. */
export interface WriteItems<Item, Outcome> {
  (queries: Queries, items: readonly Item[]): Promise<readonly Outcome[]>;
  readonly pipelined?: Pipelined<Item, Outcome>;
}

/**
 * Makes the same changes without waiting for any answer before the last statement is sent: on PostgreSQL by a single one, which is a
 * transaction by itself; on SQLite by several, in a transaction that is one message.
 */
export interface Pipelined<Item, Outcome> {
  readonly suits: (item: Item) => boolean;
  readonly make: (queries: Queries, items: readonly Item[]) => Promise<readonly Outcome[]>;
}

/** Looks up several items of one kind, in their order. A failure fails all of them. */
export type LookupItems<Item, Answer> = (
  queries: Queries,
  items: readonly Item[],
) => Promise<readonly Answer[]>;

/** A session of the database that holds a lock. */
export interface LockHolder {
  readonly pid: number;
  readonly application: string;
  readonly state: string | null;
  /** When its transaction began. */
  readonly since: string | null;
  /** The beginning of its last statement. */
  readonly query: string;
}

/** Called while a change to the tables waits for other sessions' locks. */
export type OnLockWait = (holders: readonly LockHolder[]) => void;

/** A server with the individual hits, if they are not in the database. Its interface is defined in `ledger/`. */
export interface HitServer {
  /** The same server, with a caller's terms. */
  withTerms(terms: ReadTerms): HitServer;
}

/**
 * The store, of either kind. It has three kinds of access, which must not wait for each other: callers' reads (`read`, `compute`),
 * which may be slow; the redirect's lookups by key, which may not; and changes, each of them atomic.
 */
export interface Database {
  readonly kind: 'sqlite' | 'postgres';
  /** Undefined: hits are in the database. */
  readonly hits?: HitServer | undefined;
  readonly read: Queries;
  /** The same with a caller's terms: organizations take turns, and what takes too long ends with `TimeoutExceeded`. */
  readFor(terms: ReadTerms): Queries;
  readonly compute: Compute;
  computeFor(terms: ReadTerms): Compute;
  readonly lookup: Queries;
  /**
   * A number that changes with each commit, also of other processes. Null if the data is on a server, where reading it takes a
   * round trip.
   */
  readonly dataVersion: (() => number) | null;
  /**
   * Like `lookup`, for lookups of one kind by many callers: those that arrive while others are running share one call of `work`,
   * and one statement. `work` is the same function each time.
   */
  lookupBatched<Item, Answer>(item: Item, work: LookupItems<Item, Answer>): Promise<Answer>;
  /** Whether changes can be made at the moment; rejects if the database doesn't answer. */
  takesChanges(): Promise<boolean>;
  /**
   * Runs `work` in a transaction. It may run more than once and shares its turn with others: it does nothing but query, and never
   * calls `write` again.
   */
  write<T>(work: (queries: Queries) => Promise<T>, terms?: ReadTerms): Promise<T>;
  /**
   * Like `write`, for small changes of one kind: those that arrive while the store is busy are made by one call of `work`, with
   * the same statements. `work` is the same function each time.
   */
  writeBatched<Item, Outcome>(
    item: Item,
    work: WriteItems<Item, Outcome>,
    terms?: ReadTerms,
  ): Promise<Outcome>;
  /**
   * Like `write`, for changes to the tables themselves, without a time limit. It waits repeatedly for a lock that others hold,
   * each time so briefly that no visitor's lookup behind it fails.
   */
  migrate<T>(work: (queries: Queries) => Promise<T>, waits?: OnLockWait): Promise<T>;
  /** Runs a statement outside a transaction, without a time limit. Null if no other program uses the tables meanwhile. */
  readonly outsideTransaction: ((statement: string, waits?: OnLockWait) => Promise<void>) | null;
  /**
   * Refuses changes from now on, with this reason; null accepts them again. Called when a newer program has changed the tables.
   */
  refuseChanges(reason: string | null): void;
  close(): Promise<void>;
}

/** The same database, with a caller's terms. */
export function withTerms(database: Database, terms: ReadTerms): Database {
  let read: Queries | undefined;
  let compute: Compute | undefined;
  return {
    ...database,
    hits: database.hits?.withTerms(terms),
    write: (work) => database.write(work, terms),
    writeBatched: (item, work) => database.writeBatched(item, work, terms),
    get compute() {
      compute ??= database.computeFor(terms);
      return compute;
    },
    get read() {
      read ??= database.readFor(terms);
      return read;
    },
  };
}

/** Synchronous if the store is in this process: awaiting costs more than the query. */
export type LinkLookup = (
  domainId: number,
  suffix: string,
) => LinkForVisitor | null | Promise<LinkForVisitor | null>;

/** Prepares a query on a connection in this thread, which returns the first row that it finds. */
export type RowFinder = <Row>(sql: string) => (...parameters: (number | string)[]) => Row | null;

/** The redirect's own access: queries by key, and nothing else. */
export interface Lookups {
  readonly queries: Queries;
  readonly link: LinkLookup;
  close(): Promise<void>;
}

/** A unique constraint was violated where the statement itself couldn't check it. */
export class NotUnique extends Error {
  override readonly name = 'NotUnique';
}
