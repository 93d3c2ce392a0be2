import type { LinkForVisitor } from '../rules/resolve.ts';
import type { Queries } from './schema.ts';

export interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/**
 * The store, whichever it is. Three ways in, because they must not wait for one another: people's reads, which may
 * be slow; the redirect's look-ups by key, which may not; and changes, each of them whole or not at all.
 */
export interface Database {
  readonly kind: 'sqlite' | 'postgres';
  readonly read: Queries;
  readonly lookup: Queries;
  /**
   * Runs `work` in a transaction. It may run more than once and shares its turn with others: it does nothing but
   * query, and never calls `write` again.
   */
  write<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
  /**
   * A transaction whose statements are all known before the first of them has run: they go to the store in one message,
   * and come back with their rows in another. Null where that is no gain.
   */
  readonly writeWhole: ((statements: readonly Statement[]) => Promise<unknown[][]>) | null;
  /** As `write`, for changes to the tables themselves: over millions of rows they take as long as they take. */
  reshape<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
  close(): Promise<void>;
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
