import type { Migration } from '../migration.ts';

/** The newest migration that a process knows; those of the releases before don't tell it. */
export const migrationOfNodes: Migration = ({ integer }) => [
  `alter table nodes add column migration ${integer}`,
];
