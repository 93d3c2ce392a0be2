import type { Migration } from '../migration.ts';

/** One row says what a whole call has changed: its suffixes, one to a line. Those that are there have one line. */
export const changesTogether: Migration = () => ['alter table changes rename column suffix to suffixes'];
