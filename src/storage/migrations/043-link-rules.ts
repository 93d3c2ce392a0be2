import type { Migration } from '../migration.ts';

/** By which rules links lead visitors to other destinations. */
export const linkRules: Migration = () =>
  ['links', 'link_bin'].map((table) => `alter table ${table} add column rules text`);
