import type { Migration } from '../migration.ts';

const names = ['region', 'city', 'alias'];

/**
 * The location of visitors, and the alias that they visited; 0 in earlier hits. Adding columns with a default rewrites no row.
 */
export const placesAndAliasesOfHits: Migration = ({ integer, partitions }) => [
  ...names.map((name) => `alter table hits add column ${name} ${integer} not null default 0`),
  ...(partitions ? names.map((name) => `alter table hit_chunks add column c_${name} bytea`) : []),
];
