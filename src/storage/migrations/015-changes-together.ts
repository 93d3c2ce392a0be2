import type { Migration } from '../migration.ts';

/** One row contains all changes of a call: its suffixes, one per line. Existing rows have one line. */
export const changesTogether: Migration = () => ['alter table changes rename column suffix to suffixes'];
