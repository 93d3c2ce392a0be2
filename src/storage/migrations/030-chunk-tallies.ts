import type { Migration } from '../migration.ts';

/** What a question without a filter asks of a chunk, counted when the chunk is made. */
export const chunkTallies: Migration = ({ chunksHits, integer, tableEnd }) =>
  chunksHits
    ? [`create table hit_chunk_tallies (key ${integer} primary key, cells blob not null) ${tableEnd}`]
    : [];
