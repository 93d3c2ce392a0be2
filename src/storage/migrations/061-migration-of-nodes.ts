import type { Migration } from '../migration.ts';

/** The newest migration that a process knows; earlier releases don't report it. */
export const migrationOfNodes: Migration = ({ integer }) => [
  `alter table nodes add column migration ${integer}`,
];
