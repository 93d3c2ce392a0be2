import type { Migration } from '../migration.ts';

/** The rules by which links send visitors to other destinations. */
export const linkRules: Migration = () =>
  ['links', 'link_bin'].map((table) => `alter table ${table} add column rules text`);
