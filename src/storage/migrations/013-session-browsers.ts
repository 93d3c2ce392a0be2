import type { Migration } from '../migration.ts';

/** The browser with which a session began, by names from closed lists; null if unknown. */
export const sessionBrowsers: Migration = () => [
  'alter table sessions add column browser text',
  'alter table sessions add column os text',
];
