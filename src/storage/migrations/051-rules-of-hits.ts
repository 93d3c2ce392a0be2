import type { Migration } from '../migration.ts';

/** By which rule and variant visitors were led; 0 in the hits from before. Adding columns with a default rewrites no row. */
export const rulesOfHits: Migration = ({ integer, partitions }) => [
  ...['rule', 'variant'].map((name) => `alter table hits add column ${name} ${integer} not null default 0`),
  ...(partitions
    ? ['c_rule', 'c_variant'].flatMap((name) => [
        `alter table hit_chunks add column ${name} bytea`,
        `alter table hit_chunks alter column ${name} set storage external`,
      ])
    : []),
];
