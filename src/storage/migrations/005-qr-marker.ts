import type { Migration } from '../migration.ts';

export const qrMarker: Migration = ({ integer }) => [
  // The default for an organization's new links.
  `alter table organizations add column qr_marker ${integer} not null default 0`,
];
