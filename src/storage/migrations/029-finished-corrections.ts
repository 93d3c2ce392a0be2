import type { Migration } from '../migration.ts';

/** The fold asks for the one that was finished last. */
export const finishedCorrections: Migration = () => [
  `create index click_corrections_finished on click_corrections (finished_at, id)
    where finished_at is not null`,
];
