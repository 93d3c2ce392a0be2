import type { Migration } from '../migration.ts';

export const qrMarker: Migration = ({ integer }) => [
  // What an organization's new links start with.
  `alter table organizations add column qr_marker ${integer} not null default 0`,
];
