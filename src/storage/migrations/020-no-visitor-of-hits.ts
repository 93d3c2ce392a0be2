import type { Migration } from '../migration.ts';

/** Nothing read it. SQLite rewrites each row for this: about a second for a million rows, once. */
export const noVisitorOfHits: Migration = () => ['alter table hits drop column visitor'];
