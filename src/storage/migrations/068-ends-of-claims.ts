import type { Migration } from '../migration.ts';

/** Where the batch of a claim ends. 0, 0: not known, as its node is of the previous release. */
export const endsOfClaims: Migration = ({ integer }) => [
  `alter table click_claims add column end_segment ${integer} not null default 0`,
  `alter table click_claims add column end_offset ${integer} not null default 0`,
];
