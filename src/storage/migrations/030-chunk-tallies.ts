import type { Migration } from '../migration.ts';

/** The counts for queries without a filter, made when the chunk is made. */
export const chunkTallies: Migration = ({ chunksHits, integer, tableEnd }) =>
  chunksHits
    ? [`create table hit_chunk_tallies (key ${integer} primary key, cells blob not null) ${tableEnd}`]
    : [];
