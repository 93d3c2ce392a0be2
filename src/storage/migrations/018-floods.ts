import type { Migration } from '../migration.ts';

/** A class of the roll-ups more: hits of a flood. */
export const floods: Migration = ({ integer }) => [
  `alter table link_hours add column flood ${integer} not null default 0`,
];
