import type { Dialect } from './dialect.ts';

/** Statements, in order, in the SQL of a database. */
export type Migration = (dialect: Dialect) => readonly string[];
