import type { Migration } from '../migration.ts';

/** The rule and variant that redirected a visitor; 0 in earlier hits. Adding columns with a default rewrites no row. */
export const rulesOfHits: Migration = ({ integer, partitions }) => [
  ...['rule', 'variant'].map((name) => `alter table hits add column ${name} ${integer} not null default 0`),
  ...(partitions
    ? ['rule', 'variant'].map((name) => `alter table hit_chunks add column c_${name} bytea`)
    : []),
];
