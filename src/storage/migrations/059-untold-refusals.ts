import type { Migration } from '../migration.ts';

/** Scheduled changes that were refused, and whose author has not been mailed: when a node may do so. */
export const untoldRefusals: Migration = ({ integer }) => [
  `alter table scheduled_changes add column untold ${integer}`,
  'create index scheduled_changes_untold on scheduled_changes (untold) where untold is not null',
];
