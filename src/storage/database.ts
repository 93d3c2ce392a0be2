import type { LinkForVisitor } from '../rules/resolve.ts';
import type { Queries } from './schema.ts';

/** The organization that reads, and how long the answer is awaited. */
export interface ReadTerms {
  /** Those that ask at the same time take turns. */
  readonly organizationId: number;
  /** What is aborted is not begun, and stopped where it was. */
  readonly signal: AbortSignal | null;
  /** When the answer is no longer awaited, as `performance.now()` has it. */
  readonly deadline: number;
  /** Milliseconds that one statement may take, its wait for a turn included. */
  readonly patience: number;
  /** When a change is given up that a server makes, and what is read for it. Changes of SQLite go on to their end. */
  readonly changeDeadline?: number;
}

/** For what Linnet asks by itself. */
export const ownTerms: ReadTerms = {
  organizationId: 0,
  signal: null,
  deadline: Number.POSITIVE_INFINITY,
  patience: Number.POSITIVE_INFINITY,
};

export type JobParameters = readonly (number | string)[];

type TakeFields = (fields: readonly (Uint8Array | null)[]) => void;

/** The data as a job sees it, in a thread that does nothing else. */
export interface JobStore {
  /** Parameters are `$1`, `$2` and so on, in the order in which they first appear. */
  rows<Row>(sql: string, parameters: JobParameters): readonly Row[] | Promise<readonly Row[]>;
  /** The same where the data is in this process: reading it costs no more than asking for it. Null where it is with a server. */
  readonly rowsAtOnce: (<Row>(sql: string, parameters: JobParameters) => readonly Row[]) | null;
  /**
   * Where it is with a server: calls `take` for each row with its fields in the server's binary form, which are valid until it
   * returns. The statement has no parameters.
   */
  readonly copy: ((select: string, take: TakeFields) => Promise<void>) | null;
  /** Throws when the job is no longer wanted. Jobs call it again and again. */
  keepGoing(): void;
}

/**
 * Runs the default function of a module in a thread that reads, as `(store: JobStore, input) => Promise<answer>`. The module and
 * what it imports are loaded there once: it shouldn't be much. It waits for nothing but the store.
 */
export type Compute = <Answer>(module: string, input: unknown) => Promise<Answer>;

/** Makes several changes of one kind in a transaction, and returns the outcome of each, in their order. */
export type WriteItems<Item, Outcome> = (
  queries: Queries,
  items: readonly Item[],
) => Promise<readonly Outcome[]>;

/** Answers several questions of one kind, in their order. Where it fails, it fails for all of them. */
export type AskItems<Item, Answer> = (queries: Queries, items: readonly Item[]) => Promise<readonly Answer[]>;

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

/** Called while a change to the tables waits for locks of others. */
export type OnLockWait = (holders: readonly LockHolder[]) => void;

/** A server with the single hits, where they don't lie in the database. What it can do is said in the ledger's room. */
export interface HitServer {
  /** The same server, in a caller's name. */
  inTheNameOf(terms: ReadTerms): HitServer;
}

/**
 * The store, whichever it is. Three ways in, because they must not wait for one another: people's reads, which may
 * be slow; the redirect's look-ups by key, which may not; and changes, each of them whole or not at all.
 */
export interface Database {
  readonly kind: 'sqlite' | 'postgres';
  /** Undefined: hits are in the database. */
  readonly hits?: HitServer | undefined;
  readonly read: Queries;
  /** The same in a caller's name: organizations take turns, and what takes too long ends with `TookTooLong`. */
  readFor(terms: ReadTerms): Queries;
  readonly compute: Compute;
  computeFor(terms: ReadTerms): Compute;
  readonly lookup: Queries;
  /**
   * As `lookup`, for questions of one kind that many callers ask: those that arrive while others are under way are answered by one call
   * of `work`, with one statement. `work` is the same function each time.
   */
  lookupTogether<Item, Answer>(item: Item, work: AskItems<Item, Answer>): Promise<Answer>;
  /** Whether changes can be made at the moment; rejected where it gives no answer. */
  takesChanges(): Promise<boolean>;
  /**
   * Runs `work` in a transaction. It may run more than once and shares its turn with others: it does nothing but
   * query, and never calls `write` again.
   */
  write<T>(work: (queries: Queries) => Promise<T>, terms?: ReadTerms): Promise<T>;
  /**
   * As `write`, for small changes of one kind: those that arrive while the store is busy are made by one call of `work`, with
   * the same statements. `work` is the same function each time.
   */
  writeTogether<Item, Outcome>(
    item: Item,
    work: WriteItems<Item, Outcome>,
    terms?: ReadTerms,
  ): Promise<Outcome>;
  /**
   * As `write`, for changes to the tables themselves: over millions of rows they take as long as they take. A lock that others hold is
   * waited for again and again, each time so briefly that no visitor who waits behind it is failed.
   */
  migrate<T>(work: (queries: Queries) => Promise<T>, waits?: OnLockWait): Promise<T>;
  /** Runs a statement outside of a transaction, as long as it takes. Null where no other program uses the tables meanwhile. */
  readonly aside: ((statement: string, waits?: OnLockWait) => Promise<void>) | null;
  /** From now on changes are refused, and why; or no longer. Called where a newer program has changed the tables. */
  refuseChanges(reason: string | null): void;
  close(): Promise<void>;
}

/** The same database, in a caller's name. */
export function inTheNameOf(database: Database, terms: ReadTerms): Database {
  let read: Queries | undefined;
  let compute: Compute | undefined;
  return {
    ...database,
    hits: database.hits?.inTheNameOf(terms),
    write: (work) => database.write(work, terms),
    writeTogether: (item, work) => database.writeTogether(item, work, terms),
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

/** Where the store is in this process the answer is there at once: what waiting costs is more than the question. */
export type LinkLookup = (
  domainId: number,
  suffix: string,
) => LinkForVisitor | null | Promise<LinkForVisitor | null>;

/** Prepares a question to a connection in this thread; its answer is the first row that it finds. */
export type RowFinder = <Row>(sql: string) => (...parameters: (number | string)[]) => Row | null;

/** The redirect's own way in: questions by key, and nothing else. */
export interface Lookups {
  readonly queries: Queries;
  readonly link: LinkLookup;
  close(): Promise<void>;
}

/** A uniqueness rule was broken, where that couldn't be asked in the statement itself. */
export class NotUnique extends Error {
  override readonly name = 'NotUnique';
}
