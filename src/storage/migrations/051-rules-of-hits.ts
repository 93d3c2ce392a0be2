import type { Migration } from '../migration.ts';

/** By which rule and variant visitors were led; 0 in the hits from before. Adding columns with a default rewrites no row. */
export const rulesOfHits: Migration = ({ integer, partitions }) => [
  ...['rule', 'variant'].map((name) => `alter table hits add column ${name} ${integer} not null default 0`),
  ...(partitions
    ? ['rule', 'variant'].map((name) => `alter table hit_chunks add column c_${name} bytea`)
    : []),
];
