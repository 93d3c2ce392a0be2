import type { Migration } from '../migration.ts';

/** Watermarks are kept for months after their journal is completely folded: a copy of it may turn up. */
export const finishedJournals: Migration = ({ integer }) => [
  `alter table journal_watermarks add column finished_at ${integer}`,
  'create index journal_watermarks_finished on journal_watermarks (finished_at)',
];
