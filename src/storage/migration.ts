import type { Dialect } from './dialect.ts';

/**
 * Statements, in order, in the SQL of a database. They only add: programs of the previous release go on writing meanwhile. On
 * PostgreSQL an index of an existing table is built after them, while the table is in use (`index-builds.ts`).
 */
export type Migration = (dialect: Dialect) => readonly string[];

/** Drops, renames or restricts something that programs have used. */
export interface Contraction {
  /** The newest migration of the release that stopped using it: programs that don't know it may no longer write. */
  readonly unusedSince: number;
  readonly statements: Migration;
}
