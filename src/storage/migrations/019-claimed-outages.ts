import type { Migration } from '../migration.ts';

/** A node that tells of an outage holds it until then: if it dies before its mail is out, another node tells of it. */
export const claimedOutages: Migration = ({ integer }) => [
  `alter table webhook_outages add column claimed_until ${integer}`,
];
