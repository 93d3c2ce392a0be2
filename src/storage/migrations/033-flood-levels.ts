import type { Migration } from '../migration.ts';

export const floodLevels: Migration = ({ integer, tableEnd }) => [
  // Links with a network that sends them many clicks, for some minutes: an anonymous number, and how full its bucket is.
  `create table flood_levels (
    pair ${integer} primary key,
    level ${integer} not null,
    at ${integer} not null,
    folded_at ${integer} not null
  ) ${tableEnd}`,
];
