import type { Migration } from '../migration.ts';

/** One more class of the roll-ups: hits of a flood. */
export const floods: Migration = ({ integer }) => [
  `alter table link_hours add column flood ${integer} not null default 0`,
];
