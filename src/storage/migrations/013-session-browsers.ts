import type { Migration } from '../migration.ts';

/** What a session was begun with, by names from closed lists; null where that isn't known. */
export const sessionBrowsers: Migration = () => [
  'alter table sessions add column browser text',
  'alter table sessions add column os text',
];
