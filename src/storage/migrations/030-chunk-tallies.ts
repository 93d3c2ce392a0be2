import type { Migration } from '../migration.ts';

/** The counts for queries without a filter, made when the chunk is made. */
export const chunkTallies: Migration = ({ chunksReplaceRows, integer, tableEnd }) =>
  chunksReplaceRows
    ? [`create table hit_chunk_tallies (key ${integer} primary key, cells blob not null) ${tableEnd}`]
    : [];
