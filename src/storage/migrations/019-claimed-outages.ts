import type { Migration } from '../migration.ts';

/** A node that mails about an outage claims it until then: if it dies before the mail is sent, another node does it. */
export const claimedOutages: Migration = ({ integer }) => [
  `alter table webhook_outages add column claimed_until ${integer}`,
];
